package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What is there from the start, beside the CRDs of the Gateway API.
//
//go:embed objects/*.yaml
var ownObjects embed.FS

// The CRDs of the Gateway API, which the build lays beside this program.
const gatewayFolder = "gateway-api"

const establishTimeout = 5 * time.Minute

// clientConfig is how a part of this cluster talks to its API server: never throttled by itself.
func clientConfig(f files, u user) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig(u))
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 500, 1000
	return config, nil
}

// prepare makes the objects that every test finds. It ends before the controllers start: the garbage collector
// would look for kinds that come later only every 30 seconds.
func prepare(ctx context.Context, f files) error {
	config, err := clientConfig(f, pretendKubelet)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, source := range []fs.FS{ownObjects, os.DirFS(filepath.Dir(self))} {
		names, err := fs.Glob(source, "*/*.yaml")
		if err != nil {
			return err
		}
		for _, name := range names {
			group.Go(func() error {
				text, err := fs.ReadFile(source, name)
				if err != nil {
					return err
				}
				return create(ctx, client, text)
			})
		}
	}
	return group.Wait()
}

// create makes one object and, if it is a CRD, waits until its kind is served.
func create(ctx context.Context, client dynamic.Interface, text []byte) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, object); err != nil {
		return err
	}
	keepStoredVersion(object)
	kinds := client.Resource(resourceOf(object))
	if _, err := kinds.Create(ctx, object, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	if object.GetKind() != "CustomResourceDefinition" {
		return nil
	}
	for deadline := time.Now().Add(establishTimeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		found, err := kinds.Get(ctx, object.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		if isEstablished(found) {
			return nil
		}
	}
	return fmt.Errorf("%s is not served after %s", object.GetName(), establishTimeout)
}

// keepStoredVersion leaves out the older versions of a CRD: compiling the rules of each takes the server a second.
func keepStoredVersion(object *unstructured.Unstructured) {
	versions, _, _ := unstructured.NestedSlice(object.Object, "spec", "versions")
	for _, each := range versions {
		if version, ok := each.(map[string]any); ok && version["storage"] == true {
			_ = unstructured.SetNestedSlice(object.Object, []any{version}, "spec", "versions")
		}
	}
}

func resourceOf(object *unstructured.Unstructured) schema.GroupVersionResource {
	group := object.GroupVersionKind().GroupVersion()
	if object.GetKind() == "StorageClass" {
		return group.WithResource("storageclasses")
	}
	return group.WithResource("customresourcedefinitions")
}

func isEstablished(object *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, each := range conditions {
		if condition, ok := each.(map[string]any); ok && condition["type"] == "Established" {
			return condition["status"] == "True"
		}
	}
	return false
}

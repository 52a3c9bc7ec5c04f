package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	autoscalers "k8s.io/client-go/listers/autoscaling/v2"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

const (
	metricsPeriod     = time.Second
	usualCPUMillis    = 10
	usualMemoryMiB    = 50
	metricsFieldOwner = "pretend-kubelet"
)

var podMetrics = schema.GroupVersionResource{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "pods"}

type metricsWriter struct {
	client      dynamic.Interface
	autoscalers autoscalers.HorizontalPodAutoscalerLister
	k           *kubelet
}

// startMetrics writes a PodMetrics each second for every running pod of the namespaces that have an autoscaler:
// nobody else reads them.
func startMetrics(ctx context.Context, config *rest.Config, factory informers.SharedInformerFactory, k *kubelet) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	informer := factory.Autoscaling().V2().HorizontalPodAutoscalers()
	informer.Informer() // so that the factory starts it
	writer := &metricsWriter{client, informer.Lister(), k}
	go func() {
		for ctx.Err() == nil {
			writer.writeAll(ctx)
			time.Sleep(metricsPeriod)
		}
	}()
	return nil
}

func (w *metricsWriter) writeAll(ctx context.Context) {
	all, _ := w.autoscalers.List(labels.Everything())
	namespaces := map[string]bool{}
	for _, each := range all {
		namespaces[each.Namespace] = true
	}
	for namespace := range namespaces {
		pods, _ := w.k.pods.Pods(namespace).List(labels.Everything())
		for _, pod := range pods {
			if pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil {
				continue
			}
			if err := w.write(ctx, pod); err != nil && !apierrors.IsNotFound(err) {
				klog.ErrorS(err, "pretend metrics", "pod", pod.Name)
			}
		}
	}
}

func (w *metricsWriter) write(ctx context.Context, pod *corev1.Pod) error {
	containers := []any{}
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		does, _ := behavioursOf(pod, container, w.k.rules.all())
		containers = append(containers, map[string]any{"name": container.Name, "usage": map[string]string{
			"cpu":    fmt.Sprintf("%dm", does.number("cpu-millis", usualCPUMillis)),
			"memory": fmt.Sprintf("%dMi", does.number("memory-mib", usualMemoryMiB)),
		}})
	}
	object, err := json.Marshal(map[string]any{
		"apiVersion": podMetrics.GroupVersion().String(), "kind": "PodMetrics",
		"metadata": map[string]any{
			"name": pod.Name, "labels": pod.Labels,
			// The garbage collector takes it away with its pod.
			"ownerReferences": []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID}},
		},
		"timestamp": metav1.Now(), "window": metricsPeriod.String(), "containers": containers,
	})
	if err != nil {
		return err
	}
	_, err = w.client.Resource(podMetrics).Namespace(pod.Namespace).Patch(ctx, pod.Name, types.ApplyPatchType, object,
		metav1.PatchOptions{FieldManager: metricsFieldOwner, Force: new(true)})
	return err
}

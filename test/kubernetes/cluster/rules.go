package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

const rulesName = "pretend"

// rule gives behaviours to every image whose name contains a text.
type rule struct {
	text       string
	behaviours behaviours
}

// rules are those of the ConfigMap kube-system/pretend, as it is now.
type rules struct{ now atomic.Pointer[[]rule] }

func (r *rules) all() []rule {
	if now := r.now.Load(); now != nil {
		return *now
	}
	return nil
}

// follow keeps the rules up to date until ctx ends, and tells of each change.
func (r *rules) follow(ctx context.Context, client kubernetes.Interface, changed func()) cache.InformerSynced {
	source := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "configmaps", metav1.NamespaceSystem,
		fields.OneTermEqualSelector("metadata.name", rulesName))
	set := func(text string) {
		read, err := readRules(text)
		if err != nil {
			klog.ErrorS(err, "rules of kube-system/pretend are not used")
		}
		r.now.Store(&read)
		changed()
	}
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: source,
		ObjectType:    &corev1.ConfigMap{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { set(o.(*corev1.ConfigMap).Data["rules"]) },
			UpdateFunc: func(_, o any) { set(o.(*corev1.ConfigMap).Data["rules"]) },
			DeleteFunc: func(any) { set("") },
		},
	})
	go informer.RunWithContext(ctx)
	return informer.HasSynced
}

// readRules reads lines such as `shop/agent: oom ready-after-ms-500`.
func readRules(text string) ([]rule, error) {
	found := []rule{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		image, tokens, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("%q is not `<part of an image's name>: <behaviours>`", line)
		}
		each := rule{image, behaviours{}}
		for token := range strings.FieldsSeq(tokens) {
			if err := each.behaviours.addToken(token); err != nil {
				return nil, err
			}
		}
		found = append(found, each)
	}
	return found, nil
}

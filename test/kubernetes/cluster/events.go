package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// newRecorder makes the real recorder, which counts events that repeat and drops what would be too many.
func newRecorder(ctx context.Context, client kubernetes.Interface) record.EventRecorder {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet"})
}

func (t *turn) event(c *container, kind, reason, message string) {
	field := "containers"
	if c.isInit {
		field = "initContainers"
	}
	about := &corev1.ObjectReference{
		APIVersion: "v1", Kind: "Pod", Namespace: t.pod.Namespace, Name: t.pod.Name, UID: t.pod.UID,
		FieldPath: fmt.Sprintf("spec.%s{%s}", field, c.spec.Name),
	}
	t.k.events.Event(about, kind, reason, message)
}

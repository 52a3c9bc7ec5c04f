package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

// How soon a pod that fits nowhere is looked at again. A change of the pod is seen at once.
const unschedulableRetry = time.Second

// schedule binds a pod to the next node in turn, or says why no node takes it.
func (k *kubelet) schedule(ctx context.Context, pod *corev1.Pod) (wakeAt time.Time, err error) {
	pods := k.client.CoreV1().Pods(pod.Namespace)
	why, err := k.whyUnschedulable(ctx, pod)
	if err != nil {
		return wakeAt, err
	}
	if why == "" {
		k.mutex.Lock()
		node := nodeName(k.scheduled)
		k.scheduled++
		k.mutex.Unlock()
		k.events.Eventf(pod, corev1.EventTypeNormal, "Scheduled", "Successfully assigned %s/%s to %s", pod.Namespace, pod.Name, node)
		return wakeAt, pods.Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: node},
		}, metav1.CreateOptions{})
	}
	message := fmt.Sprintf("0/%d nodes are available: %s", nodeCount, why)
	changed := pod.DeepCopy()
	podutil.UpdatePodCondition(&changed.Status, &corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message,
	})
	if !equality.Semantic.DeepEqual(changed.Status, pod.Status) {
		k.events.Event(pod, corev1.EventTypeWarning, "FailedScheduling", message)
		_, err = pods.UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	}
	return time.Now().Add(unschedulableRetry), err
}

// whyUnschedulable says what all nodes lack, in the words of the real scheduler; nothing if the pod fits.
func (k *kubelet) whyUnschedulable(ctx context.Context, pod *corev1.Pod) (string, error) {
	for i := range pod.Spec.Containers {
		// A mistake in a behaviour is told where containers are started.
		if all, _ := behavioursOf(pod, &pod.Spec.Containers[i], k.rules.all()); all.has("unschedulable") {
			return all["unschedulable"], nil
		}
	}
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim == nil {
			continue
		}
		name := volume.PersistentVolumeClaim.ClaimName
		claim, err := k.client.CoreV1().PersistentVolumeClaims(pod.Namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return fmt.Sprintf("persistentvolumeclaim %q not found.", name), nil
		}
		if err != nil {
			return "", err
		}
		if claim.Status.Phase != corev1.ClaimBound {
			return "pod has unbound immediate PersistentVolumeClaims.", nil
		}
	}
	return lackingResources(pod), nil
}

func lackingResources(pod *corev1.Pod) string {
	var lacking []string
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		sum := resource.Quantity{}
		for _, container := range pod.Spec.Containers {
			sum.Add(container.Resources.Requests[name])
		}
		if sum.Cmp(nodeResources[name]) > 0 {
			lacking = append(lacking, fmt.Sprintf("%d Insufficient %s", nodeCount, name))
		}
	}
	if len(lacking) == 0 {
		return ""
	}
	return strings.Join(lacking, ", ") + "."
}

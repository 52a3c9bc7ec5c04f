package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// startDisks stands for the provisioner of volumes: every claim is bound at once, and as large as it asks to be.
func startDisks(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) error {
	provide := func(o any) {
		claim := o.(*corev1.PersistentVolumeClaim)
		changed := claim.DeepCopy()
		changed.Status.Phase = corev1.ClaimBound
		changed.Status.AccessModes = claim.Spec.AccessModes
		if asked := claim.Spec.Resources.Requests; asked.Storage().Cmp(*claim.Status.Capacity.Storage()) > 0 {
			changed.Status.Capacity = asked
		}
		if equality.Semantic.DeepEqual(changed.Status, claim.Status) {
			return
		}
		claims := client.CoreV1().PersistentVolumeClaims(claim.Namespace)
		// After a conflict the newer claim comes here too.
		if _, err := claims.UpdateStatus(ctx, changed, metav1.UpdateOptions{}); err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			klog.ErrorS(err, "pretend disks", "claim", claim.Name)
		}
	}
	_, err := factory.Core().V1().PersistentVolumeClaims().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    provide,
		UpdateFunc: func(_, o any) { provide(o) },
	})
	return err
}

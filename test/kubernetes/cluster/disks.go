package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
)

// How soon a claim that nobody provides for is looked at again.
const unprovidedRetry = time.Second

// disks stand for the provisioner of volumes: every claim is bound at once, and as large as it asks to be, if
// there is its StorageClass.
type disks struct {
	ctx    context.Context
	client kubernetes.Interface
	events record.EventRecorder
}

func startDisks(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory, events record.EventRecorder) error {
	d := disks{ctx, client, events}
	_, err := factory.Core().V1().PersistentVolumeClaims().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { d.provide(o.(*corev1.PersistentVolumeClaim)) },
		UpdateFunc: func(_, o any) { d.provide(o.(*corev1.PersistentVolumeClaim)) },
	})
	return err
}

func (d disks) provide(claim *corev1.PersistentVolumeClaim) {
	claims := d.client.CoreV1().PersistentVolumeClaims(claim.Namespace)
	if claim.Status.Phase != corev1.ClaimBound && !d.hasClass(claim) {
		time.AfterFunc(unprovidedRetry, func() {
			if now, err := claims.Get(d.ctx, claim.Name, metav1.GetOptions{}); err == nil && now.UID == claim.UID {
				d.provide(now)
			}
		})
		return
	}
	changed := claim.DeepCopy()
	changed.Status.Phase = corev1.ClaimBound
	changed.Status.AccessModes = claim.Spec.AccessModes
	if asked := claim.Spec.Resources.Requests; asked.Storage().Cmp(*claim.Status.Capacity.Storage()) > 0 {
		changed.Status.Capacity = asked
	}
	if equality.Semantic.DeepEqual(changed.Status, claim.Status) {
		return
	}
	// After a conflict the newer claim comes here too.
	if _, err := claims.UpdateStatus(d.ctx, changed, metav1.UpdateOptions{}); err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		klog.ErrorS(err, "pretend disks", "claim", claim.Name)
	}
}

// hasClass says, in the words of the real controller, when there is nothing that would provide a volume.
func (d disks) hasClass(claim *corev1.PersistentVolumeClaim) bool {
	name := claim.Spec.StorageClassName
	if name == nil || *name == "" {
		d.events.Event(claim, corev1.EventTypeNormal, "FailedBinding",
			"no persistent volumes available for this claim and no storage class is set")
		return false
	}
	_, err := d.client.StorageV1().StorageClasses().Get(d.ctx, *name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		d.events.Event(claim, corev1.EventTypeWarning, "ProvisioningFailed",
			fmt.Sprintf("storageclass.storage.k8s.io %q not found", *name))
		return false
	}
	return err == nil
}

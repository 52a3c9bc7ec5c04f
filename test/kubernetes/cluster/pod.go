package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// podRecord is what the kubelet remembers of a pod, to the nanosecond; its status has seconds. Only the worker
// that has the pod's key uses it.
type podRecord struct {
	uid           types.UID
	address       string
	startedAt     time.Time
	terminatingAt time.Time
	// All init containers have done what the others wait for. It stays so when a sidecar crashes later.
	initialized bool
	// Init containers first, in the order of the pod.
	containers []*container
}

func newPodRecord(pod *corev1.Pod, address string) *podRecord {
	r := &podRecord{uid: pod.UID, address: address, startedAt: time.Now()}
	for i := range pod.Spec.InitContainers {
		c := &container{spec: &pod.Spec.InitContainers[i], isInit: true}
		policy := c.spec.RestartPolicy
		c.isSidecar = policy != nil && *policy == corev1.ContainerRestartPolicyAlways
		r.containers = append(r.containers, c)
	}
	for i := range pod.Spec.Containers {
		r.containers = append(r.containers, &container{spec: &pod.Spec.Containers[i]})
	}
	return r
}

func (r *podRecord) hasStopped() bool {
	for _, c := range r.containers {
		if c.state.Running != nil {
			return false
		}
	}
	return true
}

// turn is one look at one pod.
type turn struct {
	k      *kubelet
	ctx    context.Context
	pod    *corev1.Pod
	record *podRecord
	now    time.Time
	// The earliest time at which something will change by itself.
	wakeAt time.Time
}

func (t *turn) wake(at time.Time) {
	if t.wakeAt.IsZero() || at.Before(t.wakeAt) {
		t.wakeAt = at
	}
}

// advance does what is due by now.
func (t *turn) advance() {
	for _, c := range t.record.containers {
		c.does, c.mistake = behavioursOf(t.pod, c.spec, t.k.rules.all())
	}
	if t.pod.DeletionTimestamp != nil {
		t.terminate()
		return
	}
	for _, c := range t.record.containers {
		if !c.isInit {
			t.record.initialized = true
		}
		for t.step(c) {
		}
		if c.isInit && !t.record.initialized && !c.letsNextStart() {
			return
		}
	}
}

// terminate gives every container its preStop pause, then SIGTERM, and SIGKILL when the grace is over.
func (t *turn) terminate() {
	if t.record.terminatingAt.IsZero() {
		t.record.terminatingAt = t.now
		for _, c := range t.record.containers {
			if c.state.Running != nil {
				t.event(c, corev1.EventTypeNormal, "Killing", "Stopping container "+c.spec.Name)
			}
		}
	}
	killAt := t.record.terminatingAt
	if grace := t.pod.DeletionGracePeriodSeconds; grace != nil {
		killAt = killAt.Add(time.Duration(*grace) * time.Second)
	}
	for _, c := range t.record.containers {
		if c.state.Running != nil {
			t.stop(c, killAt)
		}
	}
}

func (t *turn) stop(c *container, killAt time.Time) {
	termAt := t.record.terminatingAt.Add(preStopPause(c.spec))
	if termAt.After(killAt) {
		termAt = killAt
	}
	end := ending{at: termAt.Add(c.does.duration("exits-after-ms", 0)), reason: "Completed"}
	if c.does.has("ignores-term") || end.at.After(killAt) {
		end = ending{at: killAt, reason: "Error", code: 137}
	}
	c.termAt = termAt
	t.writeLog(c)
	if !t.now.Before(end.at) {
		t.end(c, end)
		return
	}
	t.wake(end.at)
	if t.now.Before(termAt) {
		t.wake(termAt)
	}
	t.probe(c)
}

package main

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

// status is what the kubelet says of the pod now. Conditions of others stay.
func (t *turn) status() corev1.PodStatus {
	r := t.record
	status := *t.pod.Status.DeepCopy()
	status.ObservedGeneration = t.pod.Generation
	status.StartTime = new(seconds(r.startedAt))
	status.HostIP, status.HostIPs = "127.0.0.1", []corev1.HostIP{{IP: "127.0.0.1"}}
	if t.missingVolumeShown() {
		status.PodIP, status.PodIPs = "", nil
	} else {
		status.PodIP, status.PodIPs = r.address, []corev1.PodIP{{IP: r.address}}
	}
	status.InitContainerStatuses, status.ContainerStatuses = nil, nil
	for _, c := range r.containers {
		if c.isInit {
			status.InitContainerStatuses = append(status.InitContainerStatuses, t.containerStatus(c))
		} else {
			status.ContainerStatuses = append(status.ContainerStatuses, t.containerStatus(c))
		}
	}
	status.Phase = t.phase()
	t.setConditions(&status)
	return status
}

// missingVolumeShown says whether no container could start yet for want of a volume: the network comes after.
func (t *turn) missingVolumeShown() bool {
	first := t.record.containers[0]
	return first.runs == 0 && first.isWaitingFor("ContainerCreating")
}

func (t *turn) containerStatus(c *container) corev1.ContainerStatus {
	if c.state == (corev1.ContainerState{}) { // its turn has not come
		c.wait(map[bool]string{true: "PodInitializing", false: "ContainerCreating"}[len(t.pod.Spec.InitContainers) > 0], "")
	}
	status := corev1.ContainerStatus{
		Name: c.spec.Name, Image: c.spec.Image, ContainerID: c.id,
		State: c.state, LastTerminationState: c.last,
		Ready: c.isReady, Started: new(c.isStarted),
		RestartCount: int32(max(c.runs-1, 0)),
	}
	if c.isInit && !c.isSidecar { // done is as good as ready
		status.Ready = c.state.Terminated != nil && c.state.Terminated.ExitCode == 0
	}
	if c.pulled {
		repository, _, _ := strings.Cut(c.spec.Image, "@")
		status.ImageID = fmt.Sprintf("%s@sha256:%x", repository, sha256.Sum256([]byte(c.spec.Image)))
	}
	return status
}

func (t *turn) phase() corev1.PodPhase {
	var running, failed, ended, all int
	for _, c := range t.record.containers {
		isFailed := c.state.Terminated != nil && c.state.Terminated.ExitCode != 0
		if c.isInit {
			if !c.isSidecar && isFailed && t.isFinal(c) {
				return corev1.PodFailed
			}
			continue
		}
		all++
		switch {
		case c.state.Running != nil || c.runs > 0 && !t.isFinal(c):
			running++
		case c.state.Terminated != nil:
			ended++
			if isFailed {
				failed++
			}
		}
	}
	switch {
	case running > 0:
		return corev1.PodRunning
	case ended == all && failed > 0:
		return corev1.PodFailed
	case ended == all:
		return corev1.PodSucceeded
	case t.pod.DeletionTimestamp != nil:
		return corev1.PodFailed
	}
	return corev1.PodPending
}

// isFinal says whether a container has ended for good.
func (t *turn) isFinal(c *container) bool {
	if c.state.Terminated == nil {
		return t.pod.DeletionTimestamp != nil && c.state.Running == nil
	}
	switch t.pod.Spec.RestartPolicy {
	case corev1.RestartPolicyNever:
		return true
	case corev1.RestartPolicyOnFailure:
		return c.state.Terminated.ExitCode == 0
	}
	return t.pod.DeletionTimestamp != nil
}

func (t *turn) setConditions(status *corev1.PodStatus) {
	var incomplete, unready []string
	for _, c := range t.record.containers {
		if c.isInit && !t.record.initialized {
			incomplete = append(incomplete, c.spec.Name)
		}
		if !c.isReady && (!c.isInit || c.isSidecar) {
			unready = append(unready, c.spec.Name)
		}
	}
	set := func(kind corev1.PodConditionType, names []string, reason, text string) {
		condition := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, ObservedGeneration: t.pod.Generation}
		if len(names) > 0 {
			condition.Status, condition.Reason = corev1.ConditionFalse, reason
			condition.Message = fmt.Sprintf("containers with %s status: %v", text, names)
		}
		if status.Phase == corev1.PodSucceeded {
			condition.Reason, condition.Message = "PodCompleted", ""
		}
		setCondition(status, condition, t)
	}
	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, ObservedGeneration: t.pod.Generation}
	setCondition(status, scheduled, t)
	set(corev1.PodInitialized, incomplete, "ContainersNotInitialized", "incomplete")
	set(corev1.ContainersReady, unready, "ContainersNotReady", "unready")
	set(corev1.PodReady, unready, "ContainersNotReady", "unready")
}

func setCondition(status *corev1.PodStatus, condition corev1.PodCondition, t *turn) {
	condition.LastTransitionTime = seconds(t.now)
	_, old := podutil.GetPodCondition(status, condition.Type)
	if old == nil {
		status.Conditions = append(slices.Clone(status.Conditions), condition)
		return
	}
	if old.Status == condition.Status {
		condition.LastTransitionTime = old.LastTransitionTime
	}
	*old = condition
}

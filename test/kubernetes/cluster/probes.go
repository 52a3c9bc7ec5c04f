package main

import (
	"fmt"
	"net"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// answersAt says from when on this run answers its probes; the zero time if it never does.
func (c *container) answersAt() (at time.Time) {
	for _, never := range []string{"probe-fails", "no-answer", "no-listener"} {
		if c.does.has(never) {
			return at
		}
	}
	if !c.does.has("ready-after-ms") && c.ownEnd() != nil {
		return at
	}
	return c.startedAt.Add(c.does.duration("ready-after-ms", 0))
}

// answersBy says whether this run has answered by a time.
func (c *container) answersBy(at time.Time) bool {
	answers := c.answersAt()
	return !answers.IsZero() && !at.Before(answers)
}

// probesEnd says when a startup or liveness probe will have failed too often; nil if none will. Once a probe
// has worked it works for the rest of the run.
func (c *container) probesEnd() *ending {
	probe, name := c.spec.StartupProbe, "startup"
	if probe == nil {
		probe, name = c.spec.LivenessProbe, "liveness"
	}
	if probe == nil {
		return nil
	}
	patience := time.Duration(probe.FailureThreshold*probe.PeriodSeconds) * time.Second
	at := firstProbe(c.startedAt, probe).Add(patience)
	if c.answersBy(at) {
		return nil
	}
	killed := fmt.Sprintf("Container %s failed %s probe, will be restarted", c.spec.Name, name)
	return &ending{at: at, code: 137, reason: "Error", killed: killed}
}

func firstProbe(startedAt time.Time, probe *corev1.Probe) time.Time {
	return startedAt.Add(time.Duration(probe.InitialDelaySeconds) * time.Second)
}

// probe sets whether a running container has started and is ready. One without probes is both.
func (t *turn) probe(c *container) {
	answers := c.answersBy(t.now)
	at := c.answersAt()
	if !answers && !at.IsZero() {
		t.wake(at)
	}
	hasTerm := !c.termAt.IsZero() && !t.now.Before(c.termAt)
	c.isStarted = c.isStarted || c.spec.StartupProbe == nil || answers
	ready := c.spec.ReadinessProbe
	if ready == nil {
		c.isReady = c.isStarted
	} else {
		first := firstProbe(c.startedAt, ready)
		if t.now.Before(first) {
			t.wake(first)
		}
		isUnwilling := c.does["ready"] == "false"
		c.isReady = c.isStarted && answers && !isUnwilling && !hasTerm && !t.now.Before(first)
	}
	if !c.isStarted {
		t.tellFailure(c, "Startup", c.spec.StartupProbe)
	} else if !c.isReady && !hasTerm {
		t.tellFailure(c, "Readiness", ready)
	}
}

// tellFailure writes the event of a failed probe, once a period.
func (t *turn) tellFailure(c *container, name string, probe *corev1.Probe) {
	period := time.Duration(probe.PeriodSeconds) * time.Second
	due := c.probedAt.Add(period)
	if c.probedAt.IsZero() {
		due = firstProbe(c.startedAt, probe)
	}
	if !t.now.Before(due) {
		c.probedAt, due = t.now, t.now.Add(period)
		t.event(c, corev1.EventTypeWarning, "Unhealthy", fmt.Sprintf("%s probe failed: %s", name, t.probeFailure(c, probe)))
	}
	t.wake(due)
}

// probeFailure is what the kubelet says of a probe that fails as this container's behaviours have it.
func (t *turn) probeFailure(c *container, probe *corev1.Probe) string {
	port, path := 0, ""
	switch {
	case probe.HTTPGet != nil:
		port, path = portOf(c.spec, probe.HTTPGet.Port), probe.HTTPGet.Path
	case probe.TCPSocket != nil:
		port = portOf(c.spec, probe.TCPSocket.Port)
	default:
		return "the command ended with 1"
	}
	address := net.JoinHostPort(t.record.address, strconv.Itoa(port))
	refused := fmt.Sprintf("dial tcp %s: connect: connection refused", address)
	get := fmt.Sprintf("Get \"http://%s%s\": ", address, path)
	switch {
	case probe.HTTPGet == nil:
		return refused
	case c.does.has("probe-fails"):
		return fmt.Sprintf("HTTP probe failed with statuscode: %d", c.does.number("probe-fails", 500))
	case c.does.has("no-answer"):
		return get + "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
	case c.does["ready"] == "false":
		return "HTTP probe failed with statuscode: 503"
	default: // nothing listens yet
		return get + refused
	}
}

func portOf(spec *corev1.Container, port intstr.IntOrString) int {
	if port.Type == intstr.Int {
		return port.IntValue()
	}
	for _, each := range spec.Ports {
		if each.Name == port.StrVal {
			return int(each.ContainerPort)
		}
	}
	return 0
}

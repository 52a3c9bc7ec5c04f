package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// What is not in order is looked at again this soon: a missing Secret, say.
	retryPause = 500 * time.Millisecond
	// As the kubelet's, which begins at 10 s and ends at 5 minutes.
	backOffFirst = time.Second
	backOffMost  = 8 * time.Second
	// A container that will run out of memory runs so long before.
	oomAfter = 200 * time.Millisecond
)

// container is one container of a pod, through all its runs.
type container struct {
	spec      *corev1.Container
	isInit    bool
	isSidecar bool
	does      behaviours
	mistake   error

	state corev1.ContainerState
	last  corev1.ContainerState
	// Counted from 1; 0 before the first.
	runs      int
	id        string
	startedAt time.Time
	// When a waiting container is tried again.
	retryAt time.Time
	backOff time.Duration
	pulled  bool
	// When SIGTERM comes, once the pod is deleted.
	termAt    time.Time
	probedAt  time.Time
	isReady   bool
	isStarted bool
	log       *os.File
	logged    logged
}

// ending is how a run will end.
type ending struct {
	at     time.Time
	code   int
	reason string
	// What the kubelet says when it is the one who ends it.
	killed string
}

func (c *container) wait(reason, message string) {
	c.state = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func (c *container) isWaitingFor(reason string) bool {
	return c.state.Waiting != nil && c.state.Waiting.Reason == reason
}

func (c *container) letsNextStart() bool {
	if c.isSidecar {
		return c.state.Running != nil && c.isStarted
	}
	return c.state.Terminated != nil && c.state.Terminated.ExitCode == 0
}

// step does one thing, and says whether the next may follow at once.
func (t *turn) step(c *container) bool {
	switch {
	case c.state.Running != nil:
		return t.run(c)
	case c.state.Terminated != nil:
		return t.restart(c)
	case t.now.Before(c.retryAt):
		t.wake(c.retryAt)
		return false
	default:
		return t.start(c)
	}
}

// start begins a run, unless something is in its way.
func (t *turn) start(c *container) bool {
	if message := t.missingVolume(); message != "" {
		t.k.events.Event(t.pod, corev1.EventTypeWarning, "FailedMount", message)
		c.wait("ContainerCreating", "")
		return t.retry(c, retryPause)
	}
	if t.pullFails(c) {
		return false
	}
	if message := t.missingEnvironment(c); message != "" {
		t.event(c, corev1.EventTypeWarning, "Failed", "Error: "+message)
		c.wait("CreateContainerConfigError", message)
		return t.retry(c, retryPause)
	}
	c.runs++
	c.id = fmt.Sprintf("pretend://%s.%s.%d", t.record.uid, c.spec.Name, c.runs)
	c.startedAt, c.probedAt = t.now, time.Time{}
	c.isReady, c.isStarted = false, false
	c.state = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: seconds(t.now)}}
	t.k.logs.open(t.record, c)
	t.event(c, corev1.EventTypeNormal, "Created", "Container created")
	t.event(c, corev1.EventTypeNormal, "Started", "Container started")
	return true
}

func (t *turn) retry(c *container, pause time.Duration) bool {
	c.retryAt = t.now.Add(pause)
	t.wake(c.retryAt)
	return false
}

func (t *turn) run(c *container) bool {
	t.writeLog(c)
	for _, end := range []*ending{c.ownEnd(), c.probesEnd()} {
		if end == nil {
			continue
		}
		if !t.now.Before(end.at) {
			if end.killed != "" {
				t.event(c, corev1.EventTypeNormal, "Killing", end.killed)
			}
			t.end(c, *end)
			return true
		}
		t.wake(end.at)
	}
	t.probe(c)
	return false
}

// ownEnd says when and how this run ends by itself; nil for a server.
func (c *container) ownEnd() *ending {
	after := c.startedAt.Add(c.does.duration("run-ms", 0))
	crash := func(code int) *ending {
		if code == 0 {
			return &ending{at: after, reason: "Completed"}
		}
		return &ending{at: after, code: code, reason: "Error"}
	}
	switch {
	case c.does.has("oom"):
		return &ending{at: c.startedAt.Add(c.does.duration("run-ms", oomAfter)), code: 137, reason: "OOMKilled"}
	case c.does.has("crash-loop"):
		return crash(c.does.number("crash-loop", 1))
	case c.does.has("crash-once") && c.runs == 1:
		return crash(c.does.number("crash-once", 1))
	case c.does.has("completes"), c.isInit && !c.isSidecar:
		return crash(0)
	}
	return nil
}

func (t *turn) end(c *container, end ending) {
	c.logLine(t.now, fmt.Sprintf("%s ends with exit code %d", c.spec.Name, end.code))
	t.k.logs.close(c)
	c.isReady, c.isStarted = false, false
	c.state = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: int32(end.code), Reason: end.reason, ContainerID: c.id,
		StartedAt: seconds(c.startedAt), FinishedAt: seconds(t.now),
	}}
}

// restart begins the next run of what has ended, at once after the first run and later with growing pauses.
func (t *turn) restart(c *container) bool {
	ended := c.state.Terminated
	switch {
	case c.isSidecar:
	case t.pod.Spec.RestartPolicy == corev1.RestartPolicyNever:
		return false
	case ended.ExitCode == 0 && (c.isInit || t.pod.Spec.RestartPolicy == corev1.RestartPolicyOnFailure):
		return false
	}
	c.last = c.state
	c.backOff = nextBackOff(c.backOff, c.runs)
	c.retryAt = t.now.Add(c.backOff)
	name := fmt.Sprintf("%s_%s(%s)", t.pod.Name, t.pod.Namespace, t.pod.UID)
	c.wait("CrashLoopBackOff", fmt.Sprintf("back-off %s restarting failed container=%s pod=%s", c.backOff, c.spec.Name, name))
	if c.backOff > 0 {
		t.event(c, corev1.EventTypeWarning, "BackOff", fmt.Sprintf("Back-off restarting failed container %s in pod %s", c.spec.Name, name))
	}
	return true
}

func nextBackOff(before time.Duration, runs int) time.Duration {
	if runs == 1 {
		return 0
	}
	return min(max(before*2, backOffFirst), backOffMost)
}

var sleepCommand = regexp.MustCompile(`\bsleep["',\s]+(\d+)`)

// preStopPause reads the pause of a preStop hook: `sleep`, or a command with one.
func preStopPause(spec *corev1.Container) time.Duration {
	if spec.Lifecycle == nil || spec.Lifecycle.PreStop == nil {
		return 0
	}
	hook := spec.Lifecycle.PreStop
	if hook.Sleep != nil {
		return time.Duration(hook.Sleep.Seconds) * time.Second
	}
	if hook.Exec != nil {
		if found := sleepCommand.FindStringSubmatch(fmt.Sprint(hook.Exec.Command)); found != nil {
			pause, _ := strconv.Atoi(found[1])
			return time.Duration(pause) * time.Second
		}
	}
	return 0
}

// seconds is a time as the API stores it: what is read back is equal.
func seconds(at time.Time) metav1.Time { return metav1.NewTime(at).Rfc3339Copy() }

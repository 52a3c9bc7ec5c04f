package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	imageHost        = "pretend.test/"
	annotationPrefix = "pretend/"
)

type valueKind int

const (
	noValue valueKind = iota
	aNumber
	aText // in annotations and rules; in an image's name only digits
)

type known struct {
	kind valueKind
	// What the name alone means. A number without it has to be given.
	byDefault string
}

// knownBehaviours is the table in README.md.
var knownBehaviours = map[string]known{
	"ok":                  {},
	"unschedulable":       {aText, "3 Insufficient memory."},
	"pull-fail":           {},
	"pull-other-platform": {},
	"pull-limit":          {},
	"pull-unauthorized":   {},
	"pull-password":       {aText, ""},
	"crash-loop":          {aNumber, "1"},
	"crash-once":          {aNumber, "1"},
	"completes":           {},
	"oom":                 {},
	"run-ms":              {aNumber, ""},
	"ready-after-ms":      {aNumber, ""},
	"ready":               {aText, "true"},
	"probe-fails":         {aNumber, "500"},
	"no-answer":           {},
	"no-listener":         {},
	"exits-after-ms":      {aNumber, ""},
	"ignores-term":        {},
	"log":                 {aText, ""},
	"log-lines":           {aNumber, ""},
	"log-every-ms":        {aNumber, ""},
	"cpu-millis":          {aNumber, ""},
	"memory-mib":          {aNumber, ""},
}

// behaviours of one container: the values by name.
type behaviours map[string]string

func (b behaviours) has(name string) bool {
	_, found := b[name]
	return found
}

// number gives what was parsed as one when the behaviours were read.
func (b behaviours) number(name string, otherwise int) int {
	if value, err := strconv.Atoi(b[name]); err == nil {
		return value
	}
	return otherwise
}

func (b behaviours) duration(name string, otherwise time.Duration) time.Duration {
	if !b.has(name) {
		return otherwise
	}
	return time.Duration(b.number(name, 0)) * time.Millisecond
}

// behavioursOf reads what a container is to do: from the rules, from its image's name, and from the pod's
// annotations, which are about the first container. Later ones win.
func behavioursOf(pod *corev1.Pod, container *corev1.Container, rules []rule) (behaviours, error) {
	all := behaviours{}
	for _, rule := range rules {
		if strings.Contains(container.Image, rule.text) {
			maps.Copy(all, rule.behaviours)
		}
	}
	if err := all.addImage(container.Image); err != nil {
		return all, err
	}
	if container.Name != pod.Spec.Containers[0].Name {
		return all, nil
	}
	// Sorted, so that of several mistakes always the same is told.
	for _, key := range slices.Sorted(maps.Keys(pod.Annotations)) {
		if name, ok := strings.CutPrefix(key, annotationPrefix); ok {
			if err := all.add(name, pod.Annotations[key]); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// addImage reads pretend.test/<behaviour>/<behaviour>:<tag>.
func (b behaviours) addImage(image string) error {
	path, ok := strings.CutPrefix(image, imageHost)
	if !ok {
		return nil
	}
	path, _, _ = strings.Cut(path, "@")
	path, _, _ = strings.Cut(path, ":")
	for segment := range strings.SplitSeq(path, "/") {
		if err := b.addToken(segment); err != nil {
			return err
		}
	}
	return nil
}

// addToken reads `name` or `name-<digits>`.
func (b behaviours) addToken(token string) error {
	if known, found := knownBehaviours[token]; found && (known.kind == noValue || known.byDefault != "") {
		b[token] = known.byDefault
		return nil
	}
	name, value := token, ""
	if i := strings.LastIndex(token, "-"); i > 0 {
		name, value = token[:i], token[i+1:]
	}
	if _, err := strconv.Atoi(value); err != nil {
		return fmt.Errorf("%q is no behaviour: see test/kubernetes/cluster/README.md", token)
	}
	return b.add(name, value)
}

func (b behaviours) add(name, value string) error {
	known, found := knownBehaviours[name]
	if !found || (known.kind == noValue && value != "" && value != "true") {
		return fmt.Errorf("%q with %q is no behaviour: see test/kubernetes/cluster/README.md", name, value)
	}
	if value == "" {
		value = known.byDefault
	}
	if _, err := strconv.Atoi(value); known.kind == aNumber && err != nil {
		return fmt.Errorf("%q needs a number, not %q: see test/kubernetes/cluster/README.md", name, value)
	}
	b[name] = value
	return nil
}

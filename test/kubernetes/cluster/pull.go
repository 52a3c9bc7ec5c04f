package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	errImagePull     = "ErrImagePull"
	imagePullBackOff = "ImagePullBackOff"
	// So long ErrImagePull is to be seen, before ImagePullBackOff.
	pullErrorShown = 300 * time.Millisecond
)

// pullFails says whether the image keeps the container from starting; if so, its state says why.
func (t *turn) pullFails(c *container) bool {
	if c.mistake != nil {
		c.wait("InvalidImageName", c.mistake.Error())
		t.event(c, corev1.EventTypeWarning, "InspectFailed", c.mistake.Error())
		t.retry(c, retryPause)
		return true
	}
	if c.pulled {
		return false
	}
	if c.isWaitingFor(errImagePull) {
		message := fmt.Sprintf("Back-off pulling image %q", c.spec.Image)
		t.event(c, corev1.EventTypeNormal, "BackOff", message)
		t.event(c, corev1.EventTypeWarning, "Failed", "Error: "+imagePullBackOff)
		c.backOff = min(max(c.backOff*2, backOffFirst), backOffMost)
		c.wait(imagePullBackOff, fmt.Sprintf("%s: %s: %s", message, errImagePull, c.state.Waiting.Message))
		t.retry(c, c.backOff)
		return true
	}
	t.event(c, corev1.EventTypeNormal, "Pulling", fmt.Sprintf("Pulling image %q", c.spec.Image))
	why := t.pullError(c)
	if why != "" {
		t.event(c, corev1.EventTypeWarning, "Failed", fmt.Sprintf("Failed to pull image %q: %s", c.spec.Image, why))
		t.event(c, corev1.EventTypeWarning, "Failed", "Error: "+errImagePull)
		c.wait(errImagePull, why)
		t.retry(c, pullErrorShown)
		return true
	}
	t.event(c, corev1.EventTypeNormal, "Pulled", fmt.Sprintf("Successfully pulled image %q", c.spec.Image))
	c.pulled, c.backOff = true, 0
	return false
}

// pullError is what containerd says of a pull; nothing for one that works.
func (t *turn) pullError(c *container) string {
	image := c.spec.Image
	say := func(code, text string) string {
		return fmt.Sprintf("rpc error: code = %s desc = failed to pull and unpack image %q: %s", code, image, text)
	}
	resolve := fmt.Sprintf("failed to resolve reference %q: ", image)
	unauthorized := say("Unknown", resolve+"unexpected status from HEAD request to "+manifestAddress(image)+": 401 Unauthorized")
	switch {
	case c.does.has("pull-fail"):
		return say("NotFound", resolve+image+": not found")
	case c.does.has("pull-other-platform"):
		return say("NotFound", "no match for platform in manifest: not found")
	case c.does.has("pull-limit"):
		return say("Unknown", "failed to copy: httpReadSeeker: failed open: unexpected status code "+manifestAddress(image)+
			": 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit.")
	case c.does.has("pull-unauthorized"):
		return unauthorized
	case c.does.has("pull-password") && !t.hasPullPassword(image, c.does["pull-password"]):
		return unauthorized
	}
	return ""
}

func manifestAddress(image string) string {
	host, path, _ := strings.Cut(image, "/")
	name, tag, found := strings.Cut(path, ":")
	if !found {
		tag = "latest"
	}
	return fmt.Sprintf("https://%s/v2/%s/manifests/%s", host, name, tag)
}

// hasPullPassword looks whether a pull secret of the pod has this password for the image's registry.
func (t *turn) hasPullPassword(image, password string) bool {
	host, _, _ := strings.Cut(image, "/")
	for _, reference := range t.pod.Spec.ImagePullSecrets {
		secret, err := t.k.client.CoreV1().Secrets(t.pod.Namespace).Get(t.ctx, reference.Name, metav1.GetOptions{})
		if err != nil {
			t.k.events.Eventf(t.pod, corev1.EventTypeWarning, "FailedToRetrieveImagePullSecret",
				"Unable to retrieve some image pull secrets (%s); attempting to pull the image may not succeed.", reference.Name)
			continue
		}
		var config struct {
			Auths map[string]struct{ Password, Auth string }
		}
		if json.Unmarshal(secret.Data[corev1.DockerConfigJsonKey], &config) != nil {
			continue
		}
		login := config.Auths[host]
		both, _ := base64.StdEncoding.DecodeString(login.Auth)
		if login.Password == password || strings.HasSuffix(string(both), ":"+password) {
			return true
		}
	}
	return false
}

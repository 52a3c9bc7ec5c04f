package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

type user struct{ name string }

// Each with a name of its own, by which the audit log tells what a test did from what the cluster did.
var (
	admin             = user{"admin"}
	controllerManager = user{"system:kube-controller-manager"}
	pretendKubelet    = user{"pretend-kubelet"}
)

// writeCredentials writes what the server knows its users by, and a kubeconfig for each of them.
func writeCredentials(f files, url string) error {
	if _, err := writeKey(f.serviceAccountKey()); err != nil {
		return err
	}
	authority, err := writeCertificate(f)
	if err != nil {
		return err
	}
	tokens := ""
	for _, u := range []user{admin, controllerManager, pretendKubelet} {
		token := rand.Text()
		tokens += fmt.Sprintf("%s,%s,%s,\"system:masters\"\n", token, u.name, u.name)
		if err := os.WriteFile(f.kubeconfig(u), []byte(kubeconfig(url, authority, token)), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(f.tokens(), []byte(tokens), 0o600)
}

func kubeconfig(url string, authority []byte, token string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: test
clusters: [{name: test, cluster: {server: %q, certificate-authority-data: %s}}]
users: [{name: test, user: {token: %s}}]
contexts: [{name: test, context: {cluster: test, user: test, namespace: default}}]
`, url, base64.StdEncoding.EncodeToString(authority), token)
}

// writeCertificate makes a certificate for 127.0.0.1 that is its own authority.
func writeCertificate(f files) ([]byte, error) {
	key, err := writeKey(f.key())
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(now.UnixNano()),
		Subject:               pkix.Name{CommonName: "test cluster"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(30 * 24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:              []string{"localhost", "kubernetes.default.svc"},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return text, os.WriteFile(f.certificate(), text, 0o600)
}

func writeKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

package main

import (
	"errors"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/storage/wal"
)

const etcdStartTimeout = 5 * time.Minute

func startEtcd(folder string) (address string, stop func(), err error) {
	anyPort := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	wal.SegmentSizeBytes = 4 << 20 // two are allocated ahead; they would take 64 MiB each
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	config.EnableGRPCGateway = false // it would dial the advertised port, 0
	config.UnsafeNoFsync = true      // what a test stores need not survive a power cut
	config.ListenClientUrls, config.AdvertiseClientUrls = anyPort, anyPort
	config.ListenPeerUrls, config.AdvertisePeerUrls = anyPort, anyPort
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return "", nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return "http://" + etcd.Clients[0].Addr().String(), etcd.Close, nil
	case <-time.After(etcdStartTimeout):
		etcd.Close()
		return "", nil, errors.New("etcd did not start")
	}
}

// One program that is any part of a control plane, by the name of its first argument.
package main

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

func main() {
	if len(os.Args) < 2 {
		fail("say which: etcd, apiserver, manager or scheduler")
	}
	part := os.Args[1]
	os.Args = append(os.Args[:1], os.Args[2:]...)
	var command *cobra.Command
	switch part {
	case "etcd":
		runEtcd()
		return
	case "apiserver":
		command = apiserver.NewAPIServerCommand()
	case "manager":
		command = manager.NewControllerManagerCommand()
	case "scheduler":
		command = scheduler.NewSchedulerCommand()
	default:
		fail("no such part: " + part)
	}
	os.Exit(cli.Run(command))
}

// Arguments: the directory of the data, the address for clients, the address for peers.
func runEtcd() {
	if len(os.Args) != 4 {
		fail("etcd DIRECTORY CLIENT-URL PEER-URL")
	}
	config := embed.NewConfig()
	config.Dir = os.Args[1]
	client := parse(os.Args[2])
	peer := parse(os.Args[3])
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.LogLevel = "warn"
	// Its data are of no use after a crash.
	config.UnsafeNoFsync = true
	server, err := embed.StartEtcd(config)
	if err != nil {
		fail(err.Error())
	}
	defer server.Close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	select {
	case <-stop:
	case err := <-server.Err():
		fail(err.Error())
	}
}

func parse(text string) url.URL {
	address, err := url.Parse(text)
	if err != nil {
		fail(err.Error())
	}
	return *address
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

// SPDX-License-Identifier: MIT
// relay NAMESPACE... : joins network namespaces by a network on which each packet takes as long as it is
// told. Each namespace N (from 1 on) gets a device link0 (TUN) with the address 10.77.0.N. A packet is read
// from the sender's device, lies here for the delay, and is then written to the device of the node it is for.
// The delay in microseconds is read from standard input, a number a line; it counts from the next packet on.
// "ready" is printed when all devices are there.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { most_nodes = 16, largest_packet = 9000, places = 1 << 13 };

/// A packet that waits. All wait equally long but for changes of the delay, so that they leave in order.
struct packet {
  int64_t due_ns;
  int to, bytes;
  unsigned char data[largest_packet];
};

static struct packet* waiting;  // a ring
static unsigned first, after_last;

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/// A device of the namespace, which this process keeps when it leaves that again.
static int device_in(const char* name) {
  char path[256];
  snprintf(path, sizeof path, "/var/run/netns/%s", name);
  const int own = open("/proc/self/ns/net", O_RDONLY), other = open(path, O_RDONLY);
  if (own < 0 || other < 0 || setns(other, CLONE_NEWNET) != 0) fail(path);
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  struct ifreq request = {.ifr_name = "link0"};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (device < 0 || ioctl(device, TUNSETIFF, &request) != 0) fail("/dev/net/tun");
  if (setns(own, CLONE_NEWNET) != 0) fail("setns");
  close(own);
  close(other);
  return device;
}

int main(int count, char** names) {
  const int nodes = count - 1;
  if (nodes < 1 || nodes > most_nodes) {
    fprintf(stderr, "usage: relay NAMESPACE...\n");
    return 2;
  }
  waiting = calloc(places, sizeof *waiting);
  struct pollfd polled[most_nodes + 1];
  for (int node = 0; node < nodes; ++node)
    polled[node] = (struct pollfd){device_in(names[node + 1]), POLLIN, 0};
  polled[nodes] = (struct pollfd){STDIN_FILENO, POLLIN, 0};
  printf("ready\n");
  fflush(stdout);
  int64_t delay_ns = 0;
  for (;;) {
    const int64_t next_ns =
        first == after_last ? INT64_C(1000000000) : waiting[first % places].due_ns - now_ns();
    const struct timespec pause = {next_ns > 0 ? next_ns / 1000000000 : 0,
                                   next_ns > 0 ? next_ns % 1000000000 : 0};
    if (ppoll(polled, (nfds_t)nodes + 1, &pause, NULL) < 0) fail("ppoll");
    if (polled[nodes].revents != 0) {
      char line[64];
      const ssize_t length = read(STDIN_FILENO, line, sizeof line - 1);
      if (length <= 0) return 0;
      line[length] = 0;
      delay_ns = atoll(line) * 1000;
    }
    for (int node = 0; node < nodes; ++node)
      while (after_last - first < places) {
        struct packet* const packet = &waiting[after_last % places];
        const ssize_t bytes = read(polled[node].fd, packet->data, largest_packet);
        if (bytes <= 0) break;
        if (bytes < 20 || packet->data[0] >> 4 != 4) continue;  // not of IPv4
        packet->to = packet->data[19] - 1;
        packet->bytes = (int)bytes;
        packet->due_ns = now_ns() + delay_ns;
        if (packet->to >= 0 && packet->to < nodes) ++after_last;
      }
    for (; first != after_last && waiting[first % places].due_ns <= now_ns(); ++first) {
      const struct packet* const packet = &waiting[first % places];
      if (write(polled[packet->to].fd, packet->data, (size_t)packet->bytes) < 0)
        continue;  // it counts as lost
    }
  }
}

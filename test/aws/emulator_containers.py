"""Containers for the emulator's ECS, without Docker: each is a process of its own with an address of its own.

IMAGES_FILE says by reference or digest what an image is: {"args": [...]} runs them under node, {"refused": "..."} cannot be fetched for that reason.
"""

import hashlib
import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time
import types

IMAGES_FILE = os.environ["IMAGES_FILE"]
PORT = int(os.environ["GATEWAY_PORT"])
# AWS starts what ends again after a pause that grows; the emulator does so at once, for ever.
PULL_SECONDS = 1
addresses = (f"127.{64 + (PORT >> 8 & 63)}.{PORT & 255}.{last}" for last in itertools.cycle(range(2, 255)))
containers = {}
by_digest = {}


class ImageNotFound(Exception):
    pass


def digest_of(reference):
    if "@" in reference:
        return reference.split("@")[1]
    digest = "sha256:" + hashlib.sha256(reference.encode()).hexdigest()
    by_digest[digest] = reference
    return digest


def program_of(reference):
    """What an image is, by its digest or by the tag that had this digest."""
    with open(IMAGES_FILE, encoding="utf-8") as file:
        images = json.load(file)
    digest = digest_of(reference)
    found = images.get(digest) or images.get(by_digest.get(digest, reference))
    if found is None:
        raise ImageNotFound(f"failed to resolve ref {reference}: {reference}: not found")
    if "refused" in found:
        raise ImageNotFound(found["refused"].replace("IMAGE", reference))
    return found


class Image:
    def __init__(self, reference):
        self.id = digest_of(reference)

    def tag(self, *_, **__):
        return True


class Images:
    def get_registry_data(self, reference, **_):
        program_of(reference)
        return Image(reference)

    def get(self, reference):
        raise ImageNotFound(reference)

    def pull(self, reference, **_):
        time.sleep(PULL_SECONDS)
        program_of(reference)
        return Image(reference)


class Container:
    """What a container prints is read from here by however many want it. ECS has one reader, which keeps its log."""

    def __init__(self, reference, environment):
        self.id = os.urandom(32).hex()
        self.address = next(addresses)
        self.attrs = {"NetworkSettings": {"Networks": {"bridge": {"IPAddress": self.address}}}}
        self.lines = []
        self.readers = []
        self.done = []
        # A container has a network of its own: here it has an address of its own.
        own = {"PATH": os.environ["PATH"], **environment, "HOST": self.address}
        command = ["node", *program_of(reference)["args"]]
        self.process = subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=os.environ["TMPDIR"])
        threading.Thread(target=self.read, daemon=True).start()
        containers[self.id] = self

    def read(self):
        for line in self.process.stdout:
            self.tell(line)
        self.tell(None)

    def tell(self, line):
        self.lines.append(line)
        for reader in self.readers:
            reader.put(line)

    @property
    def status(self):
        # As with a real one, whoever hears of its end finds what it has said in its log.
        is_told = len(self.done) == len(self.readers) > 0
        return "exited" if is_told and self.process.poll() is not None else "running"

    def reload(self):
        pass

    def wait(self, **_):
        code = self.process.wait()
        return {"StatusCode": code if code >= 0 else 128 - code}

    def logs(self, stream=False, follow=False, tail=None, **_):
        if not (stream and follow):
            return b"".join(line for line in self.lines if line is not None)
        reader = queue.Queue()
        self.readers.append(reader)
        for line in list(self.lines):
            reader.put(line)
        return self.taken(reader)

    def taken(self, reader):
        """Whoever asks for the end has kept all that came before it."""
        try:
            yield from iter(reader.get, None)
        finally:
            self.done.append(reader)

    def stop(self, timeout=10):
        self.process.terminate()
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def remove(self, **_):
        self.process.kill()
        containers.pop(self.id, None)


class Containers:
    def run(self, reference, environment, **_):
        return Container(reference, environment)

    def get(self, identifier):
        return containers[identifier]

    def list(self, **_):
        return []


def from_env(**_):
    return types.SimpleNamespace(images=Images(), containers=Containers())


errors = types.SimpleNamespace(ImageNotFound=ImageNotFound)
sys.modules["docker"] = types.SimpleNamespace(from_env=from_env, errors=errors)
sys.modules["docker.errors"] = errors

"""Unpacks an uploaded tarball: unpack.py FILE FOLDER. Says on standard error how much it read. Prints why not, and exits with 1, when the
tarball could reach out of the folder, is too large, or takes too much of the processor's time."""

import errno
import gzip
import os
import posixpath
import resource
import shutil
import signal
import sys
import tarfile
import zlib

UNPACKED_BYTES_MAX = 1024**3
ENTRIES_MAX = 100_000
# Headers, padding and long names beside the content of an entry.
OVERHEAD_BYTES_MAX = ENTRIES_MAX * 4096
PROCESSOR_SECONDS_MAX = 120
BLOCK_BYTES = 64 * 1024
# As many links as Linux follows.
FOLLOWED_MAX = 40


class Refused(Exception):
    pass


class Inflated:
    """The plain tar file, inflated no further than it is read: behind its end a few bytes can become any number."""

    def __init__(self, file):
        self.file = gzip.GzipFile(fileobj=file)
        self.size = 0

    def read(self, size):
        data = self.file.read(min(size, BLOCK_BYTES))
        self.size += len(data)
        if self.size > UNPACKED_BYTES_MAX + OVERHEAD_BYTES_MAX:
            raise Refused(f"it unpacks to more than {UNPACKED_BYTES_MAX} bytes")
        return data


def limit_time():
    def give_up(_signal, _frame):
        raise Refused(f"unpacking it takes more than {PROCESSOR_SECONDS_MAX} s of processor time")

    signal.signal(signal.SIGXCPU, give_up)
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS_MAX, PROCESSOR_SECONDS_MAX + 5))


def is_outside(path):
    return path.startswith("/") or path == ".." or path.startswith("../")


def take_link(member, links):
    """Notes a symbolic link, which is made when nothing more is written. True for one that is made now: a second name of a file."""
    said = member.linkname if member.issym() else links.get(posixpath.normpath(member.linkname))
    if said is None:
        out = is_outside(posixpath.normpath(member.linkname))
    else:
        folder = posixpath.dirname(posixpath.normpath(member.name))
        out = said.startswith("/") or is_outside(posixpath.normpath(posixpath.join(folder, said)))
    if out:
        raise Refused(f"the link '{member.name}' leads out of it")
    if said is not None:
        links[posixpath.normpath(member.name)] = said
    return said is None


def check(member):
    if member.name.startswith("/") or ".." in member.name.split("/"):
        raise Refused(f"'{member.name}' leads out of it")
    if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
        raise Refused(f"'{member.name}' is neither a file, a folder nor a link")


def link_target(path):
    try:
        return os.readlink(path)
    except OSError as error:
        # No link, or nothing at all.
        if error.errno in (errno.EINVAL, errno.ENOENT, errno.ENOTDIR):
            return None
        raise


class Unpacking:
    def __init__(self, root):
        self.root = root
        self.entries = 0
        self.links = {}

    def extract(self, plain):
        size = 0
        with tarfile.open(fileobj=plain, mode="r|", bufsize=BLOCK_BYTES) as archive:
            for member in archive:
                self.entries += 1
                size += member.size if member.isreg() else 0
                if self.entries > ENTRIES_MAX:
                    raise Refused(f"it has more than {ENTRIES_MAX} entries")
                if size > UNPACKED_BYTES_MAX:
                    raise Refused(f"it unpacks to more than {UNPACKED_BYTES_MAX} bytes")
                check(member)
                is_link = member.issym() or member.islnk()
                if not is_link or take_link(member, self.links):
                    archive.extract(member, self.root, filter="data")
                # Else it keeps every entry that it has read.
                archive.members = []
        if self.entries == 0:
            raise Refused("it has no entries")

    def make_links(self):
        """All folders come before the first link, so that none is made through a link."""
        for path in self.links:
            os.makedirs(os.path.dirname(os.path.join(self.root, path)), exist_ok=True)
        for path, said in self.links.items():
            try:
                os.symlink(said, os.path.join(self.root, path))
            except FileExistsError:
                raise Refused(f"'{path}' is there twice") from None
        for path in self.links:
            if not self.stays_inside(path):
                raise Refused(f"the link '{path}' leads out of it")

    def stays_inside(self, path):
        """Follows a path as the system would, part by part: realpath gives up on long paths, and these are made by whoever likes to."""
        rest, at, followed = path.split("/")[::-1], [], 0
        while rest:
            part = rest.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if not at:
                    return False
                at.pop()
                continue
            said = link_target(os.path.join(self.root, *at, part))
            if said is None:
                at.append(part)
                continue
            followed += 1
            if said.startswith("/") or followed > FOLLOWED_MAX:
                return False
            rest.extend(said.split("/")[::-1])
        return True


def unpack(path, unpacking):
    with open(path, "rb") as packed:
        if os.fstat(packed.fileno()).st_size == 0:
            raise Refused("it is empty")
        plain = Inflated(packed)
        try:
            unpacking.extract(plain)
        finally:
            print(f"Read {unpacking.entries} entries of the tarball, {plain.size} bytes inflated", file=sys.stderr)
    unpacking.make_links()


def main(path, folder):
    unpacking = Unpacking(os.path.realpath(folder))
    root = unpacking.root
    try:
        limit_time()
        unpack(path, unpacking)
    except Refused as refused:
        reason = str(refused)
    except tarfile.FilterError as error:
        reason = f"'{error.tarinfo.name}' leads out of it"
    except (zlib.error, gzip.BadGzipFile):
        reason = "it is not gzip-compressed, or damaged"
    except (tarfile.TarError, EOFError, KeyError, OSError, RecursionError, ValueError) as error:
        reason = f"it is damaged: {str(error).replace(root, '.')}"
    else:
        return
    shutil.rmtree(root, ignore_errors=True)
    print(reason)
    sys.exit(1)


main(*sys.argv[1:])

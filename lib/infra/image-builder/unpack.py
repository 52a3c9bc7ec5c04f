"""Unpacks an uploaded tarball: unpack.py FILE FOLDER. Prints why not, and exits with 1, when it could reach out of the folder or is too large."""

import os
import shutil
import sys
import tarfile
import zlib

UNPACKED_BYTES_MAX = 1024**3
ENTRIES_MAX = 100_000
# Headers and padding: 512 bytes twice, and as much again for long names.
OVERHEAD_BYTES_MAX = ENTRIES_MAX * 4096
BLOCK_BYTES = 1024 * 1024


class Refused(Exception):
    pass


def decompress(path, target):
    """Stops as soon as more comes out than could be right: a few bytes can become any number."""
    size = 0
    unzip = zlib.decompressobj(31)
    with open(path, "rb") as packed, open(target, "wb") as plain:
        while chunk := packed.read(BLOCK_BYTES):
            while chunk:
                data = unzip.decompress(chunk, BLOCK_BYTES)
                size += len(data)
                if size > UNPACKED_BYTES_MAX + OVERHEAD_BYTES_MAX:
                    raise Refused(f"it unpacks to more than {UNPACKED_BYTES_MAX} bytes")
                plain.write(data)
                chunk = unzip.unconsumed_tail
                if unzip.eof:
                    chunk = unzip.unused_data.lstrip(b"\0")
                    unzip = zlib.decompressobj(31)
    if size == 0:
        raise Refused("it is empty")


def is_inside(root, path):
    return path == root or path.startswith(root + os.sep)


def check_place(root, member):
    """By its name alone, and by what is there already: no entry may go through a link of an earlier one."""
    parts = member.name.split("/")
    if member.name.startswith("/") or ".." in parts:
        raise Refused(f"'{member.name}' leads out of it")
    at = root
    for part in parts[:-1]:
        at = os.path.join(at, part)
        if os.path.islink(at):
            raise Refused(f"'{member.name}' lies below a link")
    if os.path.islink(os.path.join(root, member.name)):
        raise Refused(f"'{member.name}' is there twice")


def check_link(root, member):
    if not (member.issym() or member.islnk()):
        return
    start = os.path.dirname(os.path.join(root, member.name)) if member.issym() else root
    target = os.path.normpath(os.path.join(start, member.linkname))
    if member.linkname.startswith("/") or not is_inside(root, target):
        raise Refused(f"the link '{member.name}' leads out of it")


def extract(path, root):
    entries = size = 0
    with tarfile.open(path, "r:") as archive:
        for member in archive:
            entries += 1
            size += member.size if member.isreg() else 0
            if entries > ENTRIES_MAX:
                raise Refused(f"it has more than {ENTRIES_MAX} entries")
            if size > UNPACKED_BYTES_MAX:
                raise Refused(f"it unpacks to more than {UNPACKED_BYTES_MAX} bytes")
            if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
                raise Refused(f"'{member.name}' is neither a file, a folder nor a link")
            check_place(root, member)
            check_link(root, member)
            archive.extract(member, root, filter="data")


def check_links(root):
    """Links through links: where each really leads, now that all are there."""
    for folder, folders, files in os.walk(root):
        for path in (os.path.join(folder, name) for name in folders + files):
            if os.path.islink(path) and not is_inside(root, os.path.realpath(path)):
                raise Refused(f"the link '{os.path.relpath(path, root)}' leads out of it")


def main(path, folder):
    plain = path + ".tar"
    root = os.path.realpath(folder)
    try:
        decompress(path, plain)
        extract(plain, root)
        check_links(root)
    except Refused as refused:
        reason = str(refused)
    except tarfile.FilterError as error:
        reason = f"'{error.tarinfo.name}' leads out of it"
    except zlib.error:
        reason = "it is not gzip-compressed, or damaged"
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        reason = f"it is damaged: {str(error).replace(root, '.')}"
    else:
        return
    finally:
        if os.path.exists(plain):
            os.remove(plain)
    shutil.rmtree(root, ignore_errors=True)
    print(reason)
    sys.exit(1)


main(*sys.argv[1:])

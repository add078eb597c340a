"""Edits a directory at random, keeps and restores it, and prints where it is not what it was. Arguments: first number, count."""

import hashlib
import random
import shutil
import tempfile


def picture_of(directory):
    found = {}
    for place, names, files in os.walk(directory):
        for name in [".", *files, *names]:
            path = os.path.join(place, name)
            status = os.lstat(path)
            content = None
            if stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(path, directory)] = oct(status.st_mode), content, status.st_mtime_ns, status.st_nlink
    return found


def swap(one, other, aside):
    os.rename(one, aside)
    os.rename(other, one)
    os.rename(aside, other)


def edit_part(path, draw):
    with open(path, "r+b") as file:
        file.seek(draw.randint(0, 50))
        file.write(draw.randbytes(4))


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def edit(draw, root):
    paths = [os.path.join(place, name) for place, names, files in os.walk(root) for name in files + names]
    directories = [root] + [path for path in paths if os.path.isdir(path) and not os.path.islink(path)]
    files = [path for path in paths if os.path.isfile(path) and not os.path.islink(path)]
    new = os.path.join(draw.choice(directories), draw.choice("abcdefgh"))
    edits = [lambda: write(new, draw.randbytes(draw.randint(0, 9000)))] * 3
    edits += [lambda: os.symlink(draw.choice("abc"), new), lambda: os.mkdir(new)]
    if files:
        one, other = draw.choice(files), draw.choice(files)
        edits += [
            lambda: edit_part(one, draw),
            lambda: os.remove(one),
            lambda: os.rename(one, new),
            lambda: os.link(one, new),
            lambda: os.chmod(one, draw.choice([0o600, 0o644, 0o755, 0o400])),
            lambda: os.truncate(one, draw.randint(0, 100)),
            lambda: swap(one, other, os.path.join(root, "aside")) if one != other else None,
        ]
    if len(directories) > 1:
        directory = draw.choice(directories[1:])
        edits += [lambda: shutil.rmtree(directory), lambda: os.rename(directory, new)]
    try:
        draw.choice(edits)()
    except OSError:
        pass


def edit_often(draw, root):
    for _ in range(draw.randint(1, 15)):
        edit(draw, root)


def try_store(number):
    draw, root = random.Random(number), tempfile.mkdtemp()
    store, pictures = Store(root, 2**26, 10_000), {}
    try:
        for checkpoint in range(1, 6):
            edit_often(draw, root)
            store.keep(checkpoint)
            pictures[checkpoint] = picture_of(root)
        while pictures:
            edit_often(draw, root)
            checkpoint = draw.choice(list(pictures))
            failed, now, then = store.restore(checkpoint), picture_of(root), pictures[checkpoint]
            if failed or now != then:
                differences = {path: (then.get(path), now.get(path)) for path in {*then, *now} if then.get(path) != now.get(path)}
                print(number, checkpoint, failed, differences)
                return
            for later in [each for each in pictures if each > checkpoint or (each == checkpoint and draw.random() < 0.5)]:
                del pictures[later]
                store.drop(later)
        if store.contents.used:
            print(number, "keeps", store.contents.used)
    finally:
        store.close()
        shutil.rmtree(root)


for number in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
    try_store(number)

"""Golden commands: what every command prints and writes is recorded, and compared after a change.

    make golden                        # records the commands of this checkout, into .golden/
    make golden-check                  # runs them again and shows every difference; exit code 1 if there is one

    PYTHONPATH=checks python -m golden record --checkout ../before --folder /tmp/before
    PYTHONPATH=checks python -m golden check --folder /tmp/before --only 'stability*'

`commands.txt` lists the commands beside the help of each, which derives, and `calls.py` the calls of Python functions.
`configs/` holds experiment files for them, and `samples.py` writes the data that the samples of the repository lack.
Each command runs in a process of its own, in a fresh folder that holds copies of the samples. Its standard output,
standard error, exit code and all files that it
writes are compared after `normalise.py` has replaced what must differ: paths, versions, and the text of the command.

Recordings belong to one machine and one set of installed packages, because the last digits of a number depend on the
build of numpy and BLAS. They are therefore not part of the repository: record before a change, check after it.
"""

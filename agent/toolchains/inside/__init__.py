"""Files that are written into the sandbox and run there, on interpreters from Python 3.7 and Node 12 on.

They import nothing of this project, print nothing, and hand each result over as soon as it is known, one JSON
object a line, so that a run which is cut short still tells what it saw.
"""

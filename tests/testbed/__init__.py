"""A GitHub on this machine, for tests and for people (``make testbed``).

What nobody here wrote does the talking: ``emulate`` keeps repositories, issues, pull requests, checks and App
tokens; git's own ``http-backend`` serves clones; GitHub's official OpenAPI and GraphQL schemas judge every
request. Ours is the front that joins them (one address for all), the small stateful part for what emulate
lacks, GitHub's refusals that it does not know, and the faults that tests order.
"""

"""What a strict type checker must refuse, each line with the error it gives."""

import hott

hott.HOTT(n_topic=5)  # E: Unexpected keyword argument "n_topic"
hott.Index.build(["a text"], thread=2)  # E: Unexpected keyword argument "thread"
hott.Index.search("a text", 3)  # E: Argument 1
hott.transport.pairwise([[1.0]], cost=[[0.0]], device="gpu")  # E: Argument "device"
_ = hott.Indexes  # E: Module has no attribute "Indexes"
hott.Neighbors(hott.Cosine()).fit([[1, 2]]).kneighbors(k="ten")  # E: No overload variant of "kneighbors"

"""What the paper's authors used, on the sequences of one file: gensim's Doc2Vec, pyclustering's X-means, and
Algorithm 3 in numpy. Prints one JSON object, which bench_embed.rs reads as an Account.

Usage: peer.py SEQUENCES VECTORS COUNT SEED. A line of SEQUENCES is one sequence, its words set apart by blanks.
VECTORS is written as raw little-endian float32 rows. COUNT sequences are selected.
"""

import json
import resource
import sys
import time
import warnings

import numpy as np

# pyclustering 0.10.1 is older than the numpy that took this name away.
np.warnings = warnings

from gensim.models.doc2vec import Doc2Vec, TaggedDocument
from pyclustering.cluster.center_initializer import kmeans_plusplus_initializer
from pyclustering.cluster.xmeans import xmeans
from pyclustering.core.wrapper import ccore_library


def main():
    path, vectors_path, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    # Without its native library pyclustering would be no peer.
    assert ccore_library.workable(), "pyclustering's native library does not work here"
    documents = [TaggedDocument(line.split(), [i]) for i, line in enumerate(open(path))]
    stages = Stages()
    vectors = embed(documents, seed)
    stages.end()
    clusters, centres = cluster(vectors, seed)
    stages.end()
    chosen = select(vectors, clusters, centres, count)
    stages.end()
    vectors.astype("<f4").tofile(vectors_path)
    result = {
        "stages": stages.cpu,
        "wall": stages.wall(),
        "clusters": len(clusters),
        "chosen": len(chosen),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    print(json.dumps(result))


class Stages:
    """Processor time of all threads, stage by stage."""

    def __init__(self):
        self.cpu, self.start, self.last = [], time.monotonic(), time.process_time()

    def end(self):
        now = time.process_time()
        self.cpu.append(now - self.last)
        self.last = now

    def wall(self):
        return time.monotonic() - self.start


def embed(documents, seed):
    """One worker: more take no less processor time. All that is not named is gensim's default."""
    model = Doc2Vec(
        documents, vector_size=100, window=3, alpha=0.05, epochs=20, min_count=1, workers=1, seed=seed
    )
    return model.dv.vectors


def cluster(vectors, seed):
    """X-means as pyclustering has it by default: 2 centres to begin with, at most 20."""
    initial = kmeans_plusplus_initializer(vectors, 2, random_state=seed).initialize()
    instance = xmeans(vectors, initial, random_state=seed)
    instance.process()
    return instance.get_clusters(), np.asarray(instance.get_centers())


def select(vectors, clusters, centres, count):
    """Algorithm 3. The least distances are kept and lowered with each choice; the paper's listing computes them
    anew each time. A distance to all rows is one product of a matrix with a vector."""
    norms = np.einsum("ij,ij->i", vectors, vectors)

    def distances(point):
        point = point.astype(vectors.dtype)
        return np.sqrt(np.maximum(norms + point @ point - 2 * (vectors @ point), 0))

    to_centre = distances(vectors.mean(axis=0))
    chosen = []
    for members, centre in zip(clusters, centres):
        members = np.asarray(members)
        chosen.append(int(members[np.argmin(distances(centre)[members])]))
    least = np.full(len(vectors), np.inf, dtype=vectors.dtype)
    for one in chosen:
        np.minimum(least, distances(vectors[one]), out=least)
    least[chosen] = 0
    while len(chosen) < count:
        best = int(np.argmax(to_centre * least))
        chosen.append(best)
        np.minimum(least, distances(vectors[best]), out=least)
        least[best] = 0
    return chosen


main()

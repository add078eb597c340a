def install():
    import os, sys

    print(sys.argv, missing)

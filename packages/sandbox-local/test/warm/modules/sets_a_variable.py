import os

os.environ["SET_BY_A_MODULE"] = "1"

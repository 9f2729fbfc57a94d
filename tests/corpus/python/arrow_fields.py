def to_tensor(batch, data_type="float32"):
    import torch

    dtype = getattr(torch, data_type)
    return torch.tensor(batch, dtype=dtype)


def load(path):
    return to_tensor(open(path, "rb").read(), data_type="uint8")

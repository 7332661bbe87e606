"""A robot as its file has it: links, joints, actuators, in exact numbers; turns and solids in them."""

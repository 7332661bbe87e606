"""From the paper's law to a controller: the pendulum skate at 100 Hz with a motor that has limits.

Takes the law of the paper to a computer, step by step: held at 100 Hz it falls; damped it stays, and asks
more than the motor has; gains found for the motor do. Then laws of several kinds from the same start in one
table: torque, rotor speed, settling, the largest hold, and the error of the model that is tolerated.

    python studies/skate_controller.py --out results/skate-controller
"""

from controllers.skate import main

if __name__ == "__main__":
    main()

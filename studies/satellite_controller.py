"""From a law to a controller: a satellite that turns about its middle axis, with a wheel that has limits.

python studies/satellite_controller.py --out results/satellite-controller
"""

from controllers.satellite import main

if __name__ == "__main__":
    main()

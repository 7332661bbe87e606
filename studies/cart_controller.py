"""The cart-pendulum's matched law on a computer: held, damped, with gains for the hold, beside LQR.

python studies/cart_controller.py --out results/cart-controller
"""

from controllers.cart import main

if __name__ == "__main__":
    main()

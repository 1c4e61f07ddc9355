"""The panel beside the board: lamps, buttons and a buzzer. Events in, light out; presses in, commands out."""

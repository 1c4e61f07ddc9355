"""Events in words, for people."""

from __future__ import annotations

from controller.events import Event


def sentence(event: Event, names: tuple[str, str]) -> str:
    """An event in words for people."""
    data = event.data
    who = {"A": names[0], "B": names[1]}.get(str(data.get("player")), "")
    dice = "-".join(str(n) for n in data.get("dice", []))
    match event.event:
        case "game_start":
            return "the game begins"
        case "opening_roll":
            return f"{who} won the opening roll: {dice}"
        case "opening_tie":
            return f"the opening roll is a tie: {dice}"
        case "roll":
            return f"{who} rolled {dice}"
        case "roll_void":
            return f"VOID ROLL ({data['clause']}): {data['sentence']}"
        case "play":
            return f"{who} played {dice}: {data['moves']}{' (corrected)' if data.get('corrected') else ''}"
        case "dance":
            return f"{who} cannot play {dice}"
        case "illegal":
            return f"ILLEGAL ({data['clause']}): {data['sentence']}"
        case "stands":
            return f"{who}'s illegal play was not called and stands"
        case "double" | "take":
            return f"{who} {'doubles to' if event.event == 'double' else 'takes at'} {data['value']}"
        case "pass":
            return f"{who} passes"
        case "shut_out":
            return f"{who} is shut out"
        case "resign":
            return f"{who} offers to resign a {data['how']}"
        case "resign_refused":
            return f"{who} does not accept the resignation"
        case "match_over":
            score = f"{names[0]} {data['score'][0]}, {names[1]} {data['score'][1]}"
            return f"the match is over: {score}" if data["winner"] else f"the match was ended: {score}"
        case "game_over":
            return f"{names[0] if data['winner'] == 'A' else names[1]} wins a {data['how']}: {data['points']}"
        case "unsure":
            return f"UNSURE: {data['question']}"
        case "setup":
            return "the board is not set up for play: " + " ".join(data["differences"])
        case "roll_stands":
            return f"{who}'s roll was played and stands"
        case "taken_back":
            return f"the last turn is taken back: {data['reason']}"
        case "called":
            return f"{who}'s play was called"
        case "refused":
            return f"refused: {data['sentence']}"
        case "turn_time":
            return f"{who} took {data['seconds']} s; {names[0]} has {data['reserve'][0]} s left, {names[1]} {data['reserve'][1]} s"
        case "flag_fall":
            return f"{who}'s flag has fallen"
        case "cube_set":
            holder = {"A": names[0], "B": names[1]}.get(str(data["owner"]), "nobody")
            return f"the cube was set by hand: {data['value']}, {holder} owns it"
        case "score_set":
            return f"the score was set by hand: {names[0]} {data['score'][0]}, {names[1]} {data['score'][1]}"
        case "broken_off":
            return "the game was broken off without a result"
        case "ruling":
            return f"ruling on turn {data['turn']}: {data['ruling']}{' (' + data['note'] + ')' if data.get('note') else ''}"
        case "position_set":
            return f"the position was set by hand; {who} is on turn"
    return event.event

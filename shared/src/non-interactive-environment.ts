/**
 * Environment variables that prevent programs from prompting, paging, coloring and buffering. Every driver sets them; the
 * caller's own `env` takes precedence.
 */
export const nonInteractiveEnvironment: Readonly<Record<string, string>> = {
  CI: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  GIT_TERMINAL_PROMPT: '0',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  NO_COLOR: '1',
  TERM: 'dumb',
  PIP_NO_INPUT: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_ROOT_USER_ACTION: 'ignore',
  // Not PIP_QUIET: it also silences `pip list`, `pip show` and `pip install --dry-run`.
  PIP_PROGRESS_BAR: 'off',
  UV_NO_PROGRESS: '1',
  PYTHONUTF8: '1',
  // Without it Python keeps what a program printed until its end, and a time limit loses it.
  PYTHONUNBUFFERED: '1',
  PYTHONDONTWRITEBYTECODE: '1',
  // Pictures are saved; there is no screen.
  MPLBACKEND: 'Agg',
}

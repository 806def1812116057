_prepd() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" path="" at given
  local valued=" @VALUED@ " own="@FLAGS@" next=""
  for ((at = 1; at < COMP_CWORD; at++)); do
    given="${COMP_WORDS[at]}"
    if [[ $given == --* ]]; then [[ $valued == *" $given "* ]] && ((at++)); continue; fi
    path="${path:+$path }$given"
  done
  if [[ $before == --mode ]]; then COMPREPLY=($(compgen -W "@MODES@" -- "$word")); return; fi
  case "$path" in
@COMMAND_FLAGS@
  esac
  if [[ $valued == *" $before "* ]]; then COMPREPLY=($(compgen -f -- "$word")); return; fi
  case "$path" in
@FOLLOWERS@
  esac
  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$own" -- "$word"))
  elif [[ -n $next ]]; then COMPREPLY=($(compgen -W "$next" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -F _prepd prepd

import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** A script for a shell that completes names of commands, options and what options take. */
export function completion(program: Command, shell: Shell): string {
  if (shell === 'fish') return fishScript(program)
  return shell === 'bash'
    ? bashScript(program)
    : `autoload -U +X bashcompinit && bashcompinit\n${bashScript(program)}`
}

function bashScript(program: Command): string {
  const { commands } = program
  const takes = commands.flatMap(choicesOf).map(([flag, values]) => `    ${flag}) words='${values}' ;;`)
  const options = commands.map((command) => `      ${command.name()}:-*) words='${optionsOf(command)}' ;;`)
  const others = commands.flatMap((command) => {
    const choices = argumentChoices(command)
    return choices.length === 0 ? [] : `      ${command.name()}:*) words='${choices.join(' ')}' ;;`
  })
  return `_fenced() {
  local words= current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
${[...new Set(takes)].join('\n')}
    fenced) words='${commands.map((command) => command.name()).join(' ')}' ;;
    *) case "\${COMP_WORDS[1]}:$current" in
${[...options, ...others].join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _fenced fenced
`
}

function fishScript({ commands }: Command): string {
  const lines = commands.flatMap((command) => {
    const after = `complete -c fenced -n '__fish_seen_subcommand_from ${command.name()}'`
    return [
      `complete -c fenced -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`,
      ...argumentChoices(command).map((choice) => `${after} -fa ${choice}`),
      ...shownOptions(command).map(({ long, short, description, argChoices, required }) => {
        const letter = short === undefined ? '' : ` -s ${short.slice(1)}`
        const values = argChoices === undefined ? '' : ` -xa ${quoted(argChoices.join(' '))}`
        const name = `-l ${long?.slice(2)}${letter}${values}${required && values === '' ? ' -r' : ''}`
        return `${after} ${name} -d ${quoted(description)}`
      }),
    ]
  })
  return `${lines.join('\n')}\n`
}

function optionsOf(command: Command): string {
  return shownOptions(command)
    .map(({ long }) => long)
    .join(' ')
}

function shownOptions({ options }: Command): Command['options'] {
  return options.filter(({ hidden }) => !hidden)
}

function argumentChoices({ registeredArguments }: Command): string[] {
  return registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
}

function choicesOf({ options }: Command): [flag: string, values: string][] {
  return options.flatMap(({ short, long, argChoices }): [string, string][] =>
    argChoices === undefined
      ? []
      : [[[long, short].filter((flag) => flag !== undefined).join('|'), argChoices.join(' ')]],
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}

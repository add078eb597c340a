import { posix } from 'node:path'
import { quote, shellPath } from './shell-script.ts'

/** Exit codes with which these programs refuse; neither a shell nor the tools in them end with one of these. */
export const refusals = { missing: 40, notAFile: 41, notADirectory: 42 } as const

/** Copies a file into the transfer file in the working directory. */
export function readScript(path: string, transfer: string): string {
  const file = shellPath(path)
  return `[ -e ${file} ] || exit ${refusals.missing}
[ -f ${file} ] || exit ${refusals.notAFile}
cat < ${file} > ${quote(transfer)}`
}

/** Copies the transfer file over a file, which keeps its rights and its other names, and removes it. */
export function writeScript(path: string, transfer: string): string {
  const file = shellPath(path)
  return `[ ! -e ${file} ] || [ -f ${file} ] || exit ${refusals.notAFile}
mkdir -p ${shellPath(posix.dirname(path))} || exit 1
cat < ${quote(transfer)} > ${file} || exit 1
rm -f ${quote(transfer)}`
}

/** Writes the mode and the size into the transfer file: the first and fifth column of `ls -l` on every POSIX system. */
export function statScript(path: string, transfer: string): string {
  const file = shellPath(path)
  return `[ -e ${file} ] || exit ${refusals.missing}
ls -dlnL ${file} | { read -r mode links owner group size rest && echo "$mode $size" > ${quote(transfer)}; }`
}

/** Writes every entry into the transfer file: a letter for its type, its name, NUL. Not this program, nor that file. */
export function listScript(path: string, transfer: string): string {
  const directory = shellPath(path)
  return `[ -e ${directory} ] || exit ${refusals.missing}
[ -d ${directory} ] || exit ${refusals.notADirectory}
[ -r ${directory} ] || { ls ${directory}; exit 1; }
program=\${0##*/}
{
  cd ${directory} || exit 1
  for name in * .*; do
    case $name in . | .. | "$program" | ${quote(transfer)}) continue ;; esac
    if [ -L "./$name" ]; then type=l
    elif [ -d "./$name" ]; then type=d
    elif [ -f "./$name" ]; then type=-
    elif [ -e "./$name" ]; then type=o
    else continue; fi
    printf '%s%s\\000' "$type" "$name" || exit 1
  done
} > ${quote(transfer)}`
}

export function deleteScript(path: string): string {
  const file = shellPath(path)
  return `[ -L ${file} ] || [ -e ${file} ] || exit ${refusals.missing}
[ -L ${file} ] || [ ! -d ${file} ] || exit ${refusals.notAFile}
rm -f ${file}`
}

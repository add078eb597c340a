/** What cannot be removed is left. Arguments: mark, directory, names. */
export const removeScript = `mark=$1
cd -- "$2" && shift 2 && rm -rf -- "$@"
printf '%s000' "$mark"`

export {
  formatBytes,
  formatDuration,
  hiddenCharacters,
  visible,
  visibleJson,
  visibleName,
} from '@fenced/errors/text'

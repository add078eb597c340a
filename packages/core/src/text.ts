export {
  formatBytes,
  formatDuration,
  hiddenCharacters,
  shortened,
  visible,
  visibleJson,
  visibleName,
} from '@fenced/errors/text'

export {
  formatBytes,
  formatDuration,
  hiddenCharacters,
  shortened,
  visible,
  visibleCode,
  visibleJson,
  visibleName,
} from '@fenced/errors/text'

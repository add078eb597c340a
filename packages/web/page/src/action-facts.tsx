import type { FileRequest, InstallRequest, MessageRequest, ProcessRequest } from '@fenced/core'
import { formatBytes, visible, visibleName } from '@fenced/errors/text'
import { Fact, Listing, PlaceFacts } from './fact-parts.tsx'

export function InstallFacts({ request }: { readonly request: InstallRequest }) {
  const { packages, index, target } = request
  return (
    <dl className="facts-list">
      <Fact icon="down" name="Packages">
        <Words words={packages} />
      </Fact>
      <Fact icon="globe" name="Source">
        {index === undefined ? 'the source that the installer is configured with' : visibleName(index)}
      </Fact>
      <PlaceFacts target={target} />
    </dl>
  )
}

const actions: Readonly<Record<FileRequest['action'], string>> = {
  write: 'write',
  remove: 'remove',
  move: 'move',
  copy: 'copy',
  'make-directory': 'make a directory',
}

export function FileFacts({ request }: { readonly request: FileRequest }) {
  const { action, path, newPath, overwrite, file, mode, target } = request
  return (
    <>
      <dl className="facts-list">
        <Fact icon="edit" name="Action">
          {actions[action]}
        </Fact>
        <Fact icon="file" name="Path">
          <Words words={newPath === undefined ? [path] : [path, newPath]} separator=" to " />
        </Fact>
        {overwrite !== undefined && (
          <Fact icon="shield" name="Existing file">
            {overwrite ? 'is replaced' : 'is kept'}
          </Fact>
        )}
        {file !== undefined && (
          <Fact icon="shield" name="Content">
            {formatBytes(file.sizeBytes)}, SHA-256 <code title={file.sha256}>{file.sha256.slice(0, 16)}</code>
          </Fact>
        )}
        {mode !== undefined && (
          <Fact icon="shield" name="Permissions">
            {mode.toString(8)}
          </Fact>
        )}
        <PlaceFacts target={target} />
        <Directory path={target.workDir} />
      </dl>
      {file !== undefined &&
        (file.text === undefined ? (
          <p className="note">The content is not shown: it is not UTF-8 text, or larger than 1 MiB.</p>
        ) : (
          <Listing text={file.text} />
        ))}
    </>
  )
}

export function ProcessFacts({ request }: { readonly request: ProcessRequest }) {
  const { command, workDir, env = [], target } = request
  return (
    <dl className="facts-list">
      <Fact icon="play" name="Command">
        <Words words={command.map(quoted)} separator=" " />
      </Fact>
      <Directory path={workDir ?? target.workDir} />
      {env.length > 0 && (
        <Fact icon="plug" name="Variables">
          <Words words={env} />
        </Fact>
      )}
      <PlaceFacts target={target} />
    </dl>
  )
}

export function MessageFacts({ request }: { readonly request: MessageRequest }) {
  const { question, agent, partner, messages = [], target } = request
  return (
    <>
      {messages.map(({ source, text }, index) => (
        <div key={index}>
          <p>
            <strong>{visibleName(source)}</strong> wrote:
          </p>
          <Listing text={text} />
        </div>
      ))}
      <p className="prompt">{visible(question)}</p>
      <dl className="facts-list">
        <Fact icon="send" name="From">
          {visibleName(agent)}
        </Fact>
        {partner !== undefined && (
          <Fact icon="send" name="To">
            {visibleName(partner)}
          </Fact>
        )}
        {target !== undefined && (
          <Fact icon="play" name="Programs">
            an empty message runs them
          </Fact>
        )}
        {target !== undefined && <PlaceFacts target={target} />}
      </dl>
    </>
  )
}

function Directory({ path }: { readonly path: string | undefined }) {
  if (path === undefined) return undefined
  return (
    <Fact icon="folder" name="Directory">
      <code>{visibleName(path)}</code>
    </Fact>
  )
}

/** Values, each in a separate box: a space or a comma in a value cannot pass for two values. */
function Words({
  words,
  separator = ', ',
}: {
  readonly words: readonly string[]
  readonly separator?: string
}) {
  return words.map((word, index) => (
    <span key={index}>
      {index > 0 && separator}
      <code>{visibleName(word)}</code>
    </span>
  ))
}

/** An argument unchanged, or as a JSON string if its end would be invisible. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : JSON.stringify(argument)
}

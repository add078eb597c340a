import { expect, test } from 'vitest'
import { HeredocScanner, PythonStringScanner } from './multiline-literals.ts'

test('finds whether a program leaves a triple-quoted string open', ({ everyRow }) =>
  everyRow(
    [
      ['"""', true],
      ["'''", true],
      ['"""Docs."""', false],
      ['x = """a', true],
      ['x = r"""a\\"""', true],
      ['x = f"""{a}', true],
      ["x = rb'''a", true],
      ['x = "a" + """b', true],
      ['x = ""', false],
      ['x = "" """', true],
      ['x = "\\"""', false],
      ['# """', false],
      ['x = "#" """', true],
      ["x = \"'''\"", false],
      ['x = \'"""\'', false],
      ['x = "unterminated', false],
      ["x = '''\"\"\"'''", false],
      ['x = \'\'\'"""', true],
      ['"""a\nb"""', false],
      ['"""a\nb\\"""', true],
      ['"""a\\\n"""', false],
      ['x = \'a\\\n\' """', true],
      ['x = \'a\\\n"""', false],
      ["x = 'a\\\nb'", false],
      ["it's\n'''", true],
      ['"""a"""\n"""b', true],
      ["'''a\n# '''", false],
    ],
    (program, open) => {
      const scanner = new PythonStringScanner()
      for (const line of program.split('\n')) scanner.next(line)
      expect(scanner.open).toBe(open)
    },
  ))

test('finds whether a program leaves a heredoc open', ({ everyRow }) =>
  everyRow(
    [
      ['cat <<EOF', true],
      ['cat <<EOF\na\nEOF', false],
      ['cat <<EOF\n EOF', true],
      ['cat <<EOF\n\tEOF', true],
      ['cat <<-EOF\n\tEOF', false],
      ["cat <<'E F'\nE F", false],
      ['cat << "EOF" > a.txt\nEOF', false],
      ['cat <<\\EOF\nEOF', false],
      ["cat <<E'O'F\nEOF", false],
      ['cat <<EOF | grep a && ls\nEOF', false],
      ['cat <<A <<B\nA', true],
      ['cat <<A <<B\nA\nB', false],
      ['cat <<A\n<<B\nA', false],
      ['cat <<<EOF', false],
      ['cat <<< "$x"', false],
      ['echo "<<EOF"', false],
      ["echo '<<EOF'", false],
      ["echo 'a\n<<EOF'", false],
      ['echo "a\n<<EOF"', false],
      ['echo \\<<EOF', false],
      ['echo \\"<<EOF', true],
      ["echo 'it' <<EOF", true],
      ['# <<EOF', false],
      ['ls # <<EOF', false],
      ['echo $# <<EOF', true],
      ['echo a#b <<EOF', true],
      ['x=$((1 << 2))', false],
      ['x=$(( (1) << y ))', false],
      ['((x <<= 2))', false],
      ['x=$((1)); cat <<EOF', true],
      ['x=$(cat <<EOF', true],
      ["git commit -m \"$(cat <<'EOF'", true],
      ['git commit -m "$(cat <<\'EOF\'\nIt\'s "a"\nEOF\n)"\necho "<<A"', false],
      ['git commit -m "$(cat <<\'EOF\'\na\nEOF\n)"\ncat <<A', true],
      ['(cat <<EOF)', true],
      ['case a in b) cat <<EOF', true],
      ['cat <<', false],
    ],
    (program, open) => {
      const scanner = new HeredocScanner()
      for (const line of program.split('\n')) scanner.next(line)
      expect(scanner.open).toBe(open)
    },
  ))

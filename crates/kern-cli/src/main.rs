//! The program `kern`.

fn main() -> std::process::ExitCode {
    kern_cli::main(std::env::args_os())
}

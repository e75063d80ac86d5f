// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "./Vm.sol";

/// @dev Deploys builds of the contracts under test. The tests themselves are compiled without the optimizer.
abstract contract Builds {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev Deploys the production build of `name`. CONTRACT_BUILDS selects another one: a folder, as for mutants, or
    /// "tests" for the build that is compiled together with the tests, as for coverage.
    function deploy(string memory name, bytes memory arguments) internal returns (address) {
        string memory builds = vm.envOr("CONTRACT_BUILDS", string("out"));
        if (keccak256(bytes(builds)) == keccak256("tests")) {
            return vm.deployCode(string.concat(name, ".sol:", name), arguments);
        }
        return vm.deployCode(string.concat(builds, "/", name, ".sol/", name, ".json"), arguments);
    }
}

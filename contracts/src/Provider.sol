// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// @title The registry of keys that may sign session-key rotations for the wallets of this provider.
/// @notice An admin, in production a cold key, adds and removes operator keys and can pause all rotations. The registry
/// holds no money and cannot move any. Each wallet limits what an operator can do to it.
contract Provider is Ownable2Step {
    /// @notice Whether `operator` is registered, even while rotations are paused.
    mapping(address operator => bool) public isOperator;

    /// @notice While true, wallets refuse every rotation.
    bool public rotationsPaused;

    event OperatorSet(address indexed operator, bool allowed);
    event RotationsPaused();
    event RotationsUnpaused();

    /// @param admin First owner. Has no other role.
    /// @param operator First operator, or zero for none.
    constructor(address admin, address operator) Ownable(admin) {
        if (operator != address(0)) _setOperator(operator, true);
    }

    /// @notice Add or remove an operator key. Also affects rotations that are signed but not yet submitted.
    function setOperator(address operator, bool allowed) external onlyOwner {
        _setOperator(operator, allowed);
    }

    /// @notice Refuse every rotation until `unpauseRotations`.
    function pauseRotations() external onlyOwner {
        rotationsPaused = true;

        emit RotationsPaused();
    }

    /// @notice Accept rotations again.
    function unpauseRotations() external onlyOwner {
        rotationsPaused = false;

        emit RotationsUnpaused();
    }

    /// @notice Whether wallets currently accept a rotation signed by `operator`.
    function mayRotate(address operator) external view returns (bool) {
        return isOperator[operator] && !rotationsPaused;
    }

    function _setOperator(address operator, bool allowed) private {
        isOperator[operator] = allowed;

        emit OperatorSet(operator, allowed);
    }
}

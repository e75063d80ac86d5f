// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// @title Who may sign session-key rotations for the wallets of this provider.
/// @notice A cold admin names and removes operator keys, and can stop all rotations at once. Holds no money and can
/// move none; what an operator can do to a wallet is bounded by the wallet itself.
contract Provider is Ownable2Step {
    /// @notice Whether `operator` is named, paused or not.
    mapping(address operator => bool) public isOperator;

    /// @notice While true no operator may rotate.
    bool public rotationsPaused;

    event OperatorSet(address indexed operator, bool allowed);
    event RotationsPaused();
    event RotationsUnpaused();

    /// @param admin First owner, takes part in nothing but this registry.
    /// @param operator First operator, or zero for none.
    constructor(address admin, address operator) Ownable(admin) {
        if (operator != address(0)) _setOperator(operator, true);
    }

    /// @notice Name or remove an operator key. Takes effect on rotations already signed, too.
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

    /// @notice Whether a rotation signed by `operator` is accepted now. Wallets ask this.
    function mayRotate(address operator) external view returns (bool) {
        return isOperator[operator] && !rotationsPaused;
    }

    function _setOperator(address operator, bool allowed) private {
        isOperator[operator] = allowed;

        emit OperatorSet(operator, allowed);
    }
}
